import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import type { Cell, Column, Match } from './cells.ts';
import { SUM_STAGE, sumsOf } from './measures.ts';
import { rollupRows } from './model.ts';
import { type Part, rollupPeriodOf } from './split-range.ts';

/**
 * The rows of a part that match. The range, of one user when one is named, is a stage of its own, as an index holds it
 * whole; MongoDB joins the two, the embedded server would read every row there is for a filter that the index does not
 * hold (docs/stores.md).
 */
export function matchStages(
  orgId: string,
  part: Part,
  { user_id, ...others }: Match,
): { $match: Record<string, unknown> }[] {
  const range = inPart(orgId, part);
  const isOneUser = typeof user_id === 'string';
  const rest = user_id === undefined || isOneUser ? others : { user_id, ...others };
  const indexed = { $match: isOneUser ? { ...range, user_id } : range };
  return Object.keys(rest).length === 0 ? [indexed] : [indexed, { $match: rest }];
}

/** The filter of all rows of a part: an index holds it whole. */
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

/** Rows of one answer of MongoDB: they are decoded in one turn of the event loop. */
export const ROWS_PER_ANSWER = 200;

/** Reads the sums of a part's rollups by these columns. */
export async function* readRollups(
  ctx: Context,
  orgId: string,
  { part, match, columns }: AskedRollups,
  transaction: ClientSession,
): AsyncGenerator<DatedCell> {
  const stages = [...matchStages(orgId, part, match), sumStage(columns)];
  const options = { useBigInt64: true, batchSize: ROWS_PER_ANSWER, session: transaction };
  for await (const { _id, ...row } of rollupRows(ctx).aggregate(stages, options))
    yield { startMs: _id?.start?.getTime() ?? part.fromMs, cell: { ..._id, ...sumsOf(row) } };
}
