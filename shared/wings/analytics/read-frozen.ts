import type { ClientSession } from 'mongoose';
import type { Context } from '../../platform/context/context.ts';
import { cellsKey, unpackCells, weekKey } from './frozen-cells.ts';
import {
  type Dimension,
  type FrozenWeek,
  frozenCellRows,
  frozenWeekRows,
  type UserCell,
  type WeekCells,
} from './model.ts';
import type { Week } from './read-week.ts';

/** The frozen ones among the weeks, by `weekKey`. */
export async function readFrozenWeeks(
  ctx: Context,
  orgId: string,
  weeks: readonly Week[],
  transaction: ClientSession,
): Promise<Map<string, FrozenWeek>> {
  const ids = weeks.map(({ fromMs }) => weekKey(orgId, fromMs));
  const rows = await frozenWeekRows(ctx)
    .find({ _id: { $in: ids } }, { session: transaction })
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}

export async function readFrozenCells(
  ctx: Context,
  { org_id, start, dimensions }: FrozenWeek,
  dimension: Dimension,
  transaction: ClientSession,
): Promise<WeekCells> {
  const keys = Array.from({ length: dimensions[dimension]?.parts ?? 0 }, (_, part) =>
    cellsKey(org_id, start.getTime(), dimension, part),
  );
  const cells = new Map<string, UserCell[]>();
  if (keys.length === 0) return cells;
  const rows = frozenCellRows(ctx).find({ _id: { $in: keys } }, { session: transaction, batchSize: 1 });
  for await (const row of rows) unpackCells(cells, row);
  return cells;
}
