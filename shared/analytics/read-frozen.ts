import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import { cellsKey, openCells, weekKey } from './frozen-cells.ts';
import {
  type Dimension,
  type FrozenCells,
  type FrozenWeek,
  frozenCellRows,
  frozenWeekRows,
  type WeekCells,
} from './model.ts';
import type { Week } from './read-week.ts';

/** Those of the weeks that are frozen, by `weekKey`. */
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

/** The cells of one dimension of frozen weeks, by the `_id` of the week; also those that are not shown. */
export async function readFrozenCells(
  ctx: Context,
  weeks: readonly FrozenWeek[],
  dimension: Dimension,
  transaction: ClientSession,
): Promise<Map<string, WeekCells>> {
  const keysOf = ({ org_id, start, dimensions }: FrozenWeek) =>
    Array.from({ length: dimensions[dimension]?.parts ?? 0 }, (_, part) =>
      cellsKey(org_id, start.getTime(), dimension, part),
    );
  const rows = await frozenCellRows(ctx)
    .find(
      { _id: { $in: weeks.flatMap(keysOf) } },
      { session: transaction, promoteBuffers: true, batchSize: 8 },
    )
    .toArray();
  const byKey = new Map(rows.map((row) => [row._id, row]));
  return new Map(
    weeks.map((week) => {
      const parts = keysOf(week).map((key) => byKey.get(key));
      return [week._id, openCells(parts.filter((part): part is FrozenCells => part !== undefined))];
    }),
  );
}
