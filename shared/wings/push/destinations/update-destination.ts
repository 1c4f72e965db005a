import { isDeepStrictEqual } from 'node:util';
import { confirmActor } from '../../../core/accounts/keys/confirm-actor.ts';
import { encryptSecret } from '../../../core/events/webhooks/endpoints/encrypt-secret.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { given } from '../../../platform/basics/given.ts';
import { dayBefore } from '../../../platform/basics/utc-days.ts';
import { commitPlan, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { clearDue } from '../../../platform/due/plan-due.ts';
import { deleteRows, replaceRow } from '../../../platform/mongo/writes.ts';
import { type DestinationChange, withDefaults } from './input.ts';
import { runDestinationJob } from './jobs.ts';
import { auditDestination, getDestination, refuseFuture } from './manage-destinations.ts';
import { type Bucket, type Destination, destinationRows, exportPartitionRows } from './model.ts';
import { refused, refusePathless, refusePlace } from './refuse-place.ts';
import { nextAtHour, planRun } from './schedule.ts';

/**
 * Changes a destination; omitted fields keep their value. A run that is under way ends. Another place is written from the start,
 * and the actor who names another server or bucket becomes its maker.
 * Throws `not_found`, and `invalid_request` where the kind has no such field, and for a new endpoint or access key without a
 * secret: a stored one is sent nowhere else.
 */
export async function updateDestination(
  ctx: Context,
  orgId: string,
  id: string,
  change: DestinationChange,
): Promise<Destination> {
  return commitPlan(ctx, async (transaction) => {
    const { maker, writes: touched } = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const before = await getDestination(ctx, orgId, id, transaction);
    const nowMs = ctx.clock.now();
    const wanted = changed(ctx, before, change, nowMs);
    const after = hasMoved(before, wanted) ? { ...wanted, made_by: maker } : wanted;
    const next = planNext(after, nowMs);
    const isElsewhere = !isDeepStrictEqual(placeOf(before), placeOf(after));
    const writes = [
      ...touched,
      ...next.writes,
      ...(isElsewhere ? [deleteRows(exportPartitionRows, { destination_id: id })] : []),
      replaceRow(destinationRows, after),
      auditDestination(ctx, 'update', after, { changed: Object.keys(change) }),
    ];
    return { writes, wakeUps: next.wakeUps, result: after };
  });
}

/** A run that is queued or under way ends at once; without one the next comes at the hour. */
function planNext(after: Destination, nowMs: number): Plan {
  if (after.run_id !== null) return planRun(after, nowMs);
  if (after.enabled) return planRun(after, nextAtHour(after.hour_utc, nowMs));
  return { writes: [clearDue(runDestinationJob, after._id)], wakeUps: [] };
}

function changed(ctx: Context, before: Destination, change: DestinationChange, nowMs: number): Destination {
  const { name, prefix, levels, hour_utc, since, enabled, secret_access_key, ...place } = change;
  const bucket = changedBucket(ctx, before, place);
  if (bucket === null && secret_access_key !== undefined)
    throw refused('/secret_access_key', 'does not go with a folder');
  const isSentElsewhere =
    bucket?.endpoint !== before.bucket?.endpoint || bucket?.access_key_id !== before.bucket?.access_key_id;
  if (isSentElsewhere && secret_access_key === undefined)
    throw refused('/secret_access_key', 'is needed with a new endpoint or access_key_id');
  if (since !== undefined) refuseFuture(since, nowMs);
  const isEarlier = since !== undefined && since < before.since;
  const after: Destination = {
    ...before,
    name: name ?? before.name,
    prefix: prefix ?? before.prefix,
    levels: levels === undefined ? before.levels : withDefaults(levels),
    hour_utc: hour_utc ?? before.hour_utc,
    since: since ?? before.since,
    enabled: enabled ?? before.enabled,
    bucket,
    revision: before.revision + 1,
    ...(secret_access_key === undefined
      ? {}
      : {
          secret: encryptSecret(ctx.config, before._id, secret_access_key),
          secret_set_at: dateAt(nowMs),
        }),
  };
  const isElsewhere = !isDeepStrictEqual(placeOf(before), placeOf(after));
  const isNew = (level: Destination['levels'][number]) =>
    !before.levels.some((known) => isDeepStrictEqual(level, known));
  const lacksDays = isEarlier || isElsewhere || after.levels.some(isNew);
  const firstBefore = dayBefore(after.since);
  return {
    ...after,
    // No day before the first one is missing.
    through: lacksDays || after.through < firstBefore ? firstBefore : after.through,
    conditional_writes: isElsewhere ? null : after.conditional_writes,
  };
}

function changedBucket(
  ctx: Context,
  { kind, bucket }: Destination,
  change: { [K in keyof Bucket]?: Bucket[K] | undefined },
): Bucket | null {
  const [first] = Object.keys(change);
  if (first === undefined) return bucket;
  if (bucket === null) throw refused(`/${first}`, 'does not go with a folder');
  refusePlace(ctx.config, kind, change.endpoint);
  const changed = { ...bucket, ...given(change) };
  refusePathless(changed);
  return changed;
}

/** True for another server or bucket: whoever chose it may read what is written there. */
function hasMoved({ bucket: before }: Destination, { bucket: after }: Destination): boolean {
  return before?.endpoint !== after?.endpoint || before?.bucket !== after?.bucket;
}

function placeOf({ prefix, bucket }: Destination) {
  return [prefix, bucket?.endpoint ?? null, bucket?.bucket ?? null];
}
