import type { ClientSession } from 'mongoose';
import type { NewEvent } from '../../../../core/events/record/new-event.ts';
import { planEvents } from '../../../../core/events/webhooks/deliveries/plan-events.ts';
import { nextAttemptAt } from '../../../../core/events/webhooks/deliveries/plan-progress.ts';
import { withWords } from '../../../../core/events/webhooks/deliveries/with-words.ts';
import { findSubscribers } from '../../../../core/events/webhooks/endpoints/find-subscribers.ts';
import { dateAt, isoTime } from '../../../../platform/basics/clock.ts';
import { given } from '../../../../platform/basics/given.ts';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { finishClaim } from '../../../../platform/due/claim-due.ts';
import { dueRows } from '../../../../platform/due/model.ts';
import { setDue } from '../../../../platform/due/plan-due.ts';
import { updateRow } from '../../../../platform/mongo/writes.ts';
import { type ExportFailure, waitsForSomebody } from '../failures.ts';
import { alertDestinationJob } from '../jobs.ts';
import { exportRuns } from '../metrics.ts';
import { type Destination, destinationRows, exportRunRows } from '../model.ts';
import { nextAtHour, planRun } from '../schedule.ts';
import type { Running } from './run.ts';

export interface Outcome {
  unchanged: number;
  failure: ExportFailure | null;
  /** The last day that is there now; null where the run was narrowed to some days, or failed. */
  through: string | null;
  conditionalWrites: boolean | null;
}

/**
 * Records what came of a run and plans the next one: at the hour of the destination, or after the wait of a webhook's attempt. Does
 * nothing when another worker has claimed the run. After a run on request it is the one that it was planned in place of, at once where
 * its time has passed.
 */
export async function endRun(ctx: Context, running: Running, outcome: Outcome): Promise<void> {
  const { claim, run } = running;
  const isOwn = await commitPlan(ctx, async (transaction) => {
    const options = { session: transaction };
    const due = await dueRows(ctx).findOne({ _id: claim._id, claim_id: claim.claim_id }, options);
    const destination = await destinationRows(ctx).findOne({ _id: running.destination._id }, options);
    if (!due) return { result: false };
    if (!destination) return { writes: [finishClaim(claim)], result: false };
    const { failure } = outcome;
    const ended = {
      state: failure === null ? ('succeeded' as const) : ('failed' as const),
      finished_at: dateAt(ctx.clock.now()),
      partitions_unchanged: outcome.unchanged,
      code: failure?.code ?? null,
      detail: failure?.message ?? null,
    };
    const changed = afterwards(ctx, destination, running, outcome);
    const next = planNext(ctx, destination, running, failure);
    const told = await planTold(ctx, { ...destination, ...changed }, next.atMs, transaction);
    const set = { ...changed, ...told.changes };
    const writes = [
      finishClaim(claim),
      updateRow(exportRunRows, { _id: run._id }, { $set: ended }),
      updateRow(destinationRows, { _id: destination._id }, { $set: set }),
    ];
    return { ...joinPlans({ writes }, next.plan, told.plan), result: true };
  });
  if (isOwn) exportRuns(ctx).inc({ outcome: outcome.failure?.code ?? 'succeeded' });
}

function afterwards(
  ctx: Context,
  destination: Destination,
  { run, destination: atBegin }: Running,
  { failure, through, conditionalWrites }: Outcome,
): Partial<Destination> {
  const now = dateAt(ctx.clock.now());
  const ended = { run_id: null, last_run_id: run._id };
  // The run was about another place or other tables, or nobody wants it any more.
  const isStale = destination.revision !== atBegin.revision || !destination.enabled;
  if (isStale) return ended;
  const seen = conditionalWrites === null ? {} : { conditional_writes: conditionalWrites };
  if (failure === null)
    return {
      ...ended,
      ...seen,
      ...(through === null ? {} : { through }),
      failures: 0,
      failing_since: null,
      code: null,
      told_at: null,
      mailed_at: null,
      last_success_at: now,
    };
  return {
    ...ended,
    ...seen,
    failures: destination.failures + 1,
    failing_since: destination.failing_since ?? now,
    code: failure.code,
  };
}

function planNext(
  ctx: Context,
  destination: Destination,
  { run }: Running,
  failure: ExportFailure | null,
): { plan: Plan; atMs: number | null } {
  if (!destination.enabled) return { plan: NO_PLAN, atMs: null };
  const nowMs = ctx.clock.now();
  const isRetried = failure !== null && !waitsForSomebody(failure.code);
  const againMs = isRetried ? nextAttemptAt(ctx, run.attempt, nowMs) : null;
  if (againMs === null) {
    const hourMs = nextAtHour(destination.hour_utc, nowMs);
    const atMs = run.next_at ? Math.min(hourMs, Math.max(run.next_at.getTime(), nowMs)) : hourMs;
    return { plan: planRun(destination, atMs), atMs };
  }
  const { trigger, from, to, force, next_at } = run;
  const due = { attempt: run.attempt + 1, trigger, from, to, force, ...given({ next_at }) };
  return { plan: planRun(destination, againMs, due), atMs: againMs };
}

/** The failed run at which somebody is told of a failure that may go away by itself. */
const TOLD_AT_FAILURE = 3;

/**
 * The plan that tells of a destination that fails, by `export.failed` and by mail: once until a run succeeds, at once where somebody
 * has to change something, else at the third failure. `nextMs` is when the next run begins (epoch); null: it is paused.
 */
async function planTold(
  ctx: Context,
  destination: Destination,
  nextMs: number | null,
  transaction: ClientSession,
): Promise<{ plan: Plan; changes: Partial<Destination> }> {
  const { _id, org_id: orgId, code, failures, failing_since, told_at } = destination;
  const isDue = code !== null && (waitsForSomebody(code) || failures >= TOLD_AT_FAILURE);
  if (!isDue || failing_since === null || told_at !== null) return { plan: NO_PLAN, changes: {} };
  const nowMs = ctx.clock.now();
  const event: NewEvent = {
    type: 'export.failed',
    cause: [_id, failing_since.getTime()],
    org_id: orgId,
    ts: dateAt(nowMs),
    concerns: {},
    data: {
      destination_id: _id,
      name: destination.name,
      code,
      since: isoTime(failing_since.getTime()),
      last_success_at: destination.last_success_at && isoTime(destination.last_success_at.getTime()),
      next_attempt_at: nextMs === null ? null : isoTime(nextMs),
    },
  };
  const subscribers = await findSubscribers(ctx, orgId, transaction);
  const spoken = await withWords(ctx, [event], subscribers.webhooks, transaction);
  const plan = joinPlans(
    planEvents(spoken, subscribers, nowMs),
    setDue(alertDestinationJob, { key: _id, orgId, dueMs: nowMs }),
  );
  return { plan, changes: { told_at: dateAt(nowMs) } };
}
