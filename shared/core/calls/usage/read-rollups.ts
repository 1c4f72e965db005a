import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { rowsPerAnswer } from '../../../platform/mongo/embedded-ranges.ts';
import type { Cell, Column, Match } from './cells.ts';
import { SUM_STAGE, sumsOf } from './measures.ts';
import { rollupRows } from './model.ts';
import { type Part, rollupPeriodOf } from './split-range.ts';

/** The filter of all rows of a part. */
export function inPart(orgId: string, part: Part) {
  const start = { $gte: new Date(part.fromMs), $lt: new Date(part.toMs) };
  return { org_id: orgId, period: rollupPeriodOf(part), start };
}

/** All measures by the values of these columns; without any, one sum of all. */
export function sumStage(columns: readonly Column[]): { $group: Record<string, unknown> } {
  const _id = columns.length === 0 ? null : Object.fromEntries(columns.map((name) => [name, `$${name}`]));
  return { $group: { _id, ...SUM_STAGE } };
}

/** A cell with the start of its rollups, or of its part where `start` is no column. Epoch ms. */
export interface DatedCell {
  startMs: number;
  cell: Cell;
}

export interface AskedRollups {
  part: Part;
  match: Match;
  columns: readonly Column[];
}

export async function* readRollups(
  ctx: Context,
  orgId: string,
  { part, match, columns }: AskedRollups,
  transaction: ClientSession,
): AsyncGenerator<DatedCell> {
  const stages = [{ $match: { ...inPart(orgId, part), ...match } }, sumStage(columns)];
  const options = { useBigInt64: true, batchSize: rowsPerAnswer(ctx.db), session: transaction };
  for await (const { _id, ...row } of rollupRows(ctx).aggregate(stages, options))
    yield { startMs: _id?.start?.getTime() ?? part.fromMs, cell: { ..._id, ...sumsOf(row) } };
}
