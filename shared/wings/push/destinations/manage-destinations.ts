import type { ClientSession } from 'mongoose';
import { auditWrite } from '../../../core/accounts/audit/record-audit.ts';
import { beginCreation } from '../../../core/accounts/idempotency/creation.ts';
import { confirmActor } from '../../../core/accounts/keys/confirm-actor.ts';
import { madeBy } from '../../../core/accounts/keys/model.ts';
import { guardOrganizationRules } from '../../../core/accounts/organizations/versions.ts';
import { encryptSecret } from '../../../core/events/webhooks/endpoints/encrypt-secret.ts';
import type { MadeThing, Person } from '../../../core/hooks/wing.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { DESTINATIONS_PER_ORGANIZATION } from '../../../platform/basics/contract.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { newId } from '../../../platform/basics/ids.ts';
import { dayAt, dayBefore, firstOfMonth } from '../../../platform/basics/utc-days.ts';
import { commitPlan, joinPlans, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { clearDue } from '../../../platform/due/plan-due.ts';
import { findOwn } from '../../../platform/mongo/find-own.ts';
import { deleteRows, insertRow } from '../../../platform/mongo/writes.ts';
import { type DestinationInput, withDefaults } from './input.ts';
import { alertDestinationJob, runDestinationJob } from './jobs.ts';
import { type Destination, destinationRows, exportPartitionRows, exportRunRows } from './model.ts';
import { refused, refusePathless, refusePlace } from './refuse-place.ts';
import { nextAtHour, planRun } from './schedule.ts';

/**
 * Adds a destination, which is written at its hour from then on. Throws `invalid_request` for a place that the operator does not
 * allow, `conflict` when the organization has as many as it may have, and as `confirmActor`.
 */
export async function createDestination(
  ctx: Context,
  orgId: string,
  input: DestinationInput,
): Promise<Destination> {
  refusePlace(ctx.config, input.kind, input.kind === 's3' ? input.endpoint : undefined);
  if (input.kind === 's3') refusePathless(input);
  const draft = newDestination(ctx, orgId, input);
  return commitPlan(ctx, async (transaction) => {
    await beginCreation(ctx, 'dst', transaction);
    const { maker, writes: touched } = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    await refuseMore(ctx, orgId, transaction);
    const drafted: Destination = { ...draft, made_by: maker };
    const nowMs = ctx.clock.now();
    const { writes, wakeUps } = drafted.enabled
      ? planRun(drafted, nextAtHour(drafted.hour_utc, nowMs))
      : { writes: [], wakeUps: [] };
    return {
      writes: [
        ...touched,
        ...writes,
        insertRow(destinationRows, drafted),
        // Two that add the last one at the same time conflict here.
        guardOrganizationRules(orgId, 0),
        auditDestination(ctx, 'create', drafted),
      ],
      wakeUps,
      result: drafted,
    };
  });
}

function newDestination(ctx: Context, orgId: string, input: DestinationInput): Destination {
  const nowMs = ctx.clock.now();
  const { name, kind, prefix, levels, hour_utc, since = firstOfMonth(nowMs), enabled } = input;
  refuseFuture(since, nowMs);
  const _id = newId('dst');
  const isBucket = input.kind === 's3';
  return {
    _id,
    org_id: orgId,
    name,
    kind,
    bucket: isBucket ? bucketOf(input) : null,
    prefix,
    secret: isBucket ? encryptSecret(ctx.config, _id, input.secret_access_key) : null,
    secret_set_at: isBucket ? dateAt(nowMs) : null,
    levels: withDefaults(levels),
    hour_utc,
    since,
    enabled,
    revision: 0,
    conditional_writes: null,
    run_id: null,
    last_run_id: null,
    through: dayBefore(since),
    failures: 0,
    failing_since: null,
    code: null,
    told_at: null,
    mailed_at: null,
    last_success_at: null,
    created_at: dateAt(nowMs),
  };
}

function bucketOf(input: Extract<DestinationInput, { kind: 's3' }>): Destination['bucket'] {
  const { endpoint, region, bucket, access_key_id, path_style } = input;
  return { endpoint, region, bucket, access_key_id, path_style };
}

/** Throws `invalid_request` for a first day that has not begun. */
export function refuseFuture(since: string, nowMs: number): void {
  if (since > dayAt(nowMs)) throw refused('/since', 'must not lie in the future');
}

async function refuseMore(ctx: Context, orgId: string, transaction: ClientSession): Promise<void> {
  const existing = await destinationRows(ctx).countDocuments({ org_id: orgId }, { session: transaction });
  if (existing < DESTINATIONS_PER_ORGANIZATION) return;
  throw new DomainError(
    'conflict',
    `An organization has at most ${DESTINATIONS_PER_ORGANIZATION} destinations. Delete one that is not used.`,
  );
}

/** The destinations of an organization, oldest first. */
export async function listDestinations(ctx: Context, orgId: string): Promise<Destination[]> {
  return destinationRows(ctx).find({ org_id: orgId }).sort({ created_at: 1 }).toArray();
}

export const getDestination = findOwn(destinationRows, 'destination');

/** Deletes a destination and all that is known of its runs; the files stay. A run that is under way ends. Throws `not_found`. */
export async function deleteDestination(ctx: Context, orgId: string, id: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const { writes: touched } = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const destination = await getDestination(ctx, orgId, id, transaction);
    return { ...joinPlans({ writes: touched }, planDeletion(ctx, destination)), result: undefined };
  });
}

function planDeletion(ctx: Context, destination: Destination): Plan {
  const { _id } = destination;
  const writes = [
    deleteRows(destinationRows, { _id }),
    deleteRows(exportPartitionRows, { destination_id: _id }),
    deleteRows(exportRunRows, { destination_id: _id }),
    clearDue(runDestinationJob, _id),
    clearDue(alertDestinationJob, _id),
    auditDestination(ctx, 'delete', destination),
  ];
  return { writes, wakeUps: [] };
}

/** The destinations whose place a person chose, for the removal or demotion of the person. */
export async function findMadeDestinations(
  ctx: Context,
  person: Person,
  transaction: ClientSession,
): Promise<MadeThing[]> {
  const rows = await destinationRows(ctx).find(madeBy(person), { session: transaction }).toArray();
  return rows.map((row) => ({
    shown: { id: row._id, name: row.name, bucket: row.bucket?.bucket ?? null },
    end: () => planDeletion(ctx, row),
  }));
}

export function auditDestination(
  ctx: Context,
  act: 'create' | 'update' | 'delete' | 'run' | 'test',
  { _id, org_id, name, kind }: Destination,
  more: Record<string, unknown> = {},
) {
  const details = { destination_id: _id, name, kind, ...more };
  return auditWrite(ctx, { action: `destination.${act}`, org_id, details });
}
