import type { ClientSession } from 'mongoose';
import type { Reader } from '../../../core/accounts/organizations/reader.ts';
import { addSums, isZero, noSums, type Sums, sumsOf } from '../../../core/calls/usage/measures.ts';
import { rollupRows } from '../../../core/calls/usage/model.ts';
import { sumStage } from '../../../core/calls/usage/read-rollups.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';

/** The dimensions by which sums of a work are told apart. */
export type WorkColumn = 'user_id' | 'model' | 'start';

/** Sums of one work, by the asked columns. */
export interface WorkSums {
  work: string;
  user_id?: string;
  model?: string;
  start?: Date;
  sums: Sums;
}

/** The embedded store reads a partial index by a filter of all its fields alone (docs/stores.md). */
const ALWAYS = { $gte: dateAt(0) };

/** Works that are asked one by one. Where there are more, all of the organization are read at once. */
const ASKED_ALONE = 200;

/**
 * The sums of these works over all time, as a reader sees them: from the rollups of days, which are kept for ever. Sums of nothing
 * are left out.
 */
export async function sumWorks(
  ctx: Context,
  { orgId, userId }: Reader,
  { works, columns }: { works: readonly string[]; columns: readonly WorkColumn[] },
  transaction: ClientSession,
): Promise<WorkSums[]> {
  const own = userId === null ? {} : { user_id: userId };
  const found: WorkSums[] = [];
  if (works.length <= few(ctx, ASKED_ALONE))
    for (const work of works) {
      const stages = [
        { $match: { work, period: 'day', start: ALWAYS } },
        { $match: { org_id: orgId, ...own } },
      ];
      found.push(...(await readSums(ctx, stages, columns, transaction)));
    }
  else {
    const wanted = new Set(works);
    const stages = [
      { $match: { org_id: orgId, period: 'day', ...own } },
      { $match: { work: { $exists: true } } },
    ];
    const all = await readSums(ctx, stages, columns, transaction);
    found.push(...all.filter(({ work }) => wanted.has(work)));
  }
  return found;
}

async function readSums(
  ctx: Context,
  stages: readonly object[],
  columns: readonly WorkColumn[],
  transaction: ClientSession,
): Promise<WorkSums[]> {
  const options = { useBigInt64: true, session: transaction };
  const rows = await rollupRows(ctx)
    .aggregate([...stages, sumStage(['work', ...columns])], options)
    .toArray();
  const sums = rows.map(({ _id, ...row }) => ({ ..._id, sums: sumsOf(row) }) as WorkSums);
  return sums.filter((row) => !isZero(row.sums));
}

/** The sums of all works of which a user has calls, by work and day. */
export async function sumWorksOfUser(
  ctx: Context,
  { orgId, userId }: { orgId: string; userId: string },
  transaction: ClientSession,
): Promise<WorkSums[]> {
  const stages = [
    { $match: { org_id: orgId, period: 'day', user_id: userId } },
    { $match: { work: { $exists: true } } },
  ];
  return readSums(ctx, stages, ['user_id', 'start'], transaction);
}

export function totalOf(rows: readonly WorkSums[]): Sums {
  const total = noSums();
  for (const { sums } of rows) addSums(total, sums);
  return total;
}
