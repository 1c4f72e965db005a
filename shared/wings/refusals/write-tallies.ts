import type { mongo } from 'mongoose';
import { organizationRows } from '../../core/accounts/organizations/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import type { Context } from '../../platform/context/context.ts';
import { admitRows } from './admit-rows.ts';
import { type RefusalRow, refusalRows } from './model.ts';
import type { MinuteTally, Tallies, Tally } from './tally.ts';

/** Rows of one command. */
const TOGETHER = 500;

/** The update of a row whose person is erased: its count stays. */
export const NAMES_NOBODY = { $set: { user_id: null, adapter: null }, $unset: { sessions: '' } } as const;

/**
 * Writes all calls of these minutes that MongoDB does not have. Safe to repeat after any failure: a tally is the only one that
 * writes its part of a row's counts, and the larger number stays.
 */
export async function writeTallies(
  ctx: Context,
  tallies: Tallies,
  minutes: readonly MinuteTally[],
): Promise<void> {
  for (const minute of minutes) await admit(ctx, tallies, minute);
  const unwritten = minutes.flatMap(({ tallies: own }) =>
    [...new Set(own.values())].filter(({ count, written, isAdmitted }) => isAdmitted && count > written),
  );
  for (let from = 0; from < unwritten.length; from += TOGETHER)
    await write(ctx, unwritten.slice(from, from + TOGETHER));
}

async function admit(ctx: Context, tallies: Tallies, minute: MinuteTally): Promise<void> {
  const asking = [...minute.tallies.values()].filter(({ isAdmitted }) => !isAdmitted);
  if (asking.length === 0) return;
  const admitted = await admitRows(
    ctx,
    minute,
    asking.map(({ id }) => id),
  );
  for (const tally of asking) {
    tally.isAdmitted = admitted.has(tally.id);
    if (!tally.isAdmitted) tallies.leaveOut(minute, tally);
  }
}

/**
 * An erasure marks the person before it takes the person out of the rows, so one that this write did not know of is either seen
 * after it, or takes the person out of what was written.
 */
async function write(ctx: Context, tallies: readonly Tally[]): Promise<void> {
  const before = await readErased(ctx, tallies);
  const counts = tallies.map(({ count }) => count);
  const updates = tallies.map((tally) => updateOf(ctx, tally, before.has(personOf(tally))));
  await refusalRows(ctx).bulkWrite(updates, { ordered: false });
  const after = await readErased(ctx, tallies);
  const gone = tallies.filter((tally) => after.has(personOf(tally)));
  for (const [org_id, own] of Map.groupBy(gone, ({ refusal }) => refusal.orgId)) {
    const _id = { $in: own.map(({ id }) => id) };
    await refusalRows(ctx).updateMany({ _id, org_id }, NAMES_NOBODY);
  }
  for (const [index, tally] of tallies.entries()) tally.written = Math.max(tally.written, counts[index] ?? 0);
}

function updateOf({ db }: Context, tally: Tally, isErased: boolean): mongo.AnyBulkWriteOperation<RefusalRow> {
  const { refusal, part, count, firstMs, lastMs, largestNusd, session } = tally;
  const { orgId: org_id, userId: user_id, adapter, budgetId: budget_id, way, cause } = refusal;
  const isShown = session !== null && !isErased;
  const update: mongo.UpdateFilter<RefusalRow> = {
    $setOnInsert: { org_id, budget_id, way, cause, ...(isErased ? {} : { user_id, adapter }) },
    $min: { first_at: dateAt(firstMs) },
    $max: {
      [`counts.${part}`]: count,
      last_at: dateAt(lastMs),
      ...(largestNusd === null ? {} : { largest_estimate_nusd: largestNusd }),
    },
    // A part alone writes its own, so nothing is compared: the embedded store compares no objects.
    ...(isShown ? { $set: { [`sessions.${part}`]: { at: dateAt(session.atMs), id: session.id } } } : {}),
    ...(isErased ? NAMES_NOBODY : {}),
  };
  // The embedded store finds a row at once by its id alone (docs/stores.md).
  const filter = db.isEmbedded ? { _id: tally.id } : { _id: tally.id, org_id };
  return { updateOne: { filter, update, upsert: true } };
}

function personOf({ refusal: { orgId, userId } }: Tally): string {
  return `${orgId} ${userId ?? ''}`;
}

/** The people of these tallies who were erased, as `personOf` has them. */
async function readErased(ctx: Context, tallies: readonly Tally[]): Promise<ReadonlySet<string>> {
  const orgIds = [...new Set(tallies.map(({ refusal }) => refusal.orgId))];
  const projection = { erased_users: 1 };
  const found = organizationRows(ctx).find({ _id: { $in: orgIds } }, { projection });
  const erased = new Set<string>();
  for await (const { _id, erased_users = [] } of found)
    for (const userId of erased_users) erased.add(`${_id} ${userId}`);
  return erased;
}
