import { readOrganization } from '../../../../core/accounts/organizations/read-organization.ts';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { given } from '../../../../platform/basics/given.ts';
import { newId } from '../../../../platform/basics/ids.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { type Claim, claimDue, finishClaim } from '../../../../platform/due/claim-due.ts';
import { dueId, dueRows } from '../../../../platform/due/model.ts';
import { readDue } from '../../../../platform/due/plan-due.ts';
import { replaceRow, updateRow } from '../../../../platform/mongo/writes.ts';
import { runDestinationJob } from '../jobs.ts';
import { type Destination, destinationRows, type ExportRun, exportRunRows } from '../model.ts';
import { type DueRun, type RestOfRun, SCHEDULED } from '../schedule.ts';
import type { Running } from './run.ts';

/**
 * Claims the run of a destination that is due, and begins it, or the one that a worker left that died. Null when nothing is due;
 * when to come again (epoch ms) when it is not due yet.
 */
export async function beginRun(ctx: Context, id: string): Promise<Running | { notBeforeMs: number } | null> {
  const claimed = await dueRows(ctx).findOne({ _id: dueId(runDestinationJob, id, 'claimed') });
  const due = await readDue(ctx, runDestinationJob, id);
  if (!claimed && due && due.due_at.getTime() > ctx.clock.now()) return { notBeforeMs: due.due_at.getTime() };
  const claim = await claimDue<DueRun & { rest?: RestOfRun }>(ctx, runDestinationJob, id, (rows) => {
    const row = rows.at(-1);
    return { ...detailsOf(row), ...(row?.rest ? { rest: row.rest } : {}) };
  });
  if (claim === null) return null;
  return commitPlan<Running | null>(ctx, async (transaction) => {
    const options = { session: transaction };
    const own = await dueRows(ctx).findOne({ _id: claim._id, claim_id: claim.claim_id }, options);
    if (!own) return { result: null };
    const destination = await destinationRows(ctx).findOne({ _id: id }, options);
    const earlier =
      destination?.run_id === null || destination === null
        ? null
        : await exportRunRows(ctx).findOne({ _id: destination.run_id }, options);
    if (!destination || (!destination.enabled && !earlier))
      return { writes: [finishClaim(claim)], result: null };
    const organization = await readOrganization(ctx, destination.org_id, transaction);
    const run = started(ctx, destination, claim, earlier);
    const writes = [
      replaceRow(exportRunRows, run, { upsert: true }),
      updateRow(destinationRows, { _id: id }, { $set: { run_id: run._id } }),
    ];
    const isSame = earlier !== null && claim.rest?.revision === destination.revision;
    const rest = isSame ? (claim.rest ?? null) : null;
    return { writes, result: { claim, destination, organization, run, rest } };
  });
}

function detailsOf(row: Partial<DueRun> | undefined): DueRun {
  const { attempt, trigger, from, to, force, next_at } = { ...SCHEDULED, ...row };
  return { attempt, trigger, from, to, force, ...given({ next_at }) };
}

function started(
  ctx: Context,
  { _id, org_id }: Destination,
  claim: Claim<DueRun>,
  earlier: ExportRun | null,
): ExportRun {
  const now = dateAt(ctx.clock.now());
  const run = earlier ?? newRun(org_id, _id, detailsOf(claim), now);
  return { ...run, state: 'running', started_at: run.started_at ?? now };
}

/** A run that is queued. */
export function newRun(orgId: string, destinationId: string, due: DueRun, now: Date): ExportRun {
  return {
    _id: newId('run'),
    org_id: orgId,
    destination_id: destinationId,
    ...due,
    state: 'queued',
    created_at: now,
    started_at: null,
    finished_at: null,
    partitions_written: 0,
    partitions_unchanged: 0,
    rows: 0,
    bytes: 0,
    code: null,
    detail: null,
  };
}
