import { freezeAllAnalytics } from '../shared/analytics/freeze-weeks.ts';
import { freezeAnalyticsJob } from '../shared/analytics/jobs.ts';
import { checkSession, sweepDueChecks } from '../shared/anomalies/check-session.ts';
import { detectAnomaliesJob } from '../shared/anomalies/jobs.ts';
import { evaluateDue, sweepDueBudgets } from '../shared/budgets/evaluate-due.ts';
import { evaluateBudgetsJob } from '../shared/budgets/jobs.ts';
import { expireCredits as writeOffExpired } from '../shared/credits/expire.ts';
import { expireCreditsJob, reconcileCreditsJob } from '../shared/credits/jobs.ts';
import { reconcileCredits as reconcileAllCredits } from '../shared/credits/reconcile.ts';
import { DomainError } from '../shared/platform/basics/errors.ts';
import type { Context } from '../shared/platform/context/context.ts';
import type { JobData } from '../shared/platform/queues/job.ts';
import { purgeJob } from '../shared/retention/jobs.ts';
import { purge } from '../shared/retention/purge.ts';
import { endIfSilent, sweepSilentSessions } from '../shared/sessions/end-session.ts';
import { closeSessionJob } from '../shared/sessions/jobs.ts';
import { RETENTION } from '../shared/tables/retention.ts';
import { makeSnapshotsJob, reconcileUsageJob } from '../shared/usage/jobs.ts';
import { makeAllSnapshots, makeAskedSnapshots } from '../shared/usage/make-snapshots.ts';
import { reconcileAllUsage } from '../shared/usage/reconcile-usage.ts';
import { alertAdmins as mailAdmins } from '../shared/webhooks/deliveries/alert-admins.ts';
import { holdDeliveries } from '../shared/webhooks/deliveries/hold-deliveries.ts';
import { deliverWebhookJob, retryWebhookJob } from '../shared/webhooks/deliveries/jobs.ts';
import { alertAdminsJob, drainWebhookJob, holdWebhookJob } from '../shared/webhooks/endpoints/jobs.ts';
import { attemptDeliveries } from '../shared/webhooks/sending/attempt-delivery.ts';
import { drainDeliveries } from '../shared/webhooks/sending/drain-deliveries.ts';
import { sweepDeliveries, sweepWebhookTasks } from '../shared/webhooks/sending/sweep-deliveries.ts';
import { type JobRow, jobRow, type WakeAgain } from './job-row.ts';

/** The end of an open session: ends it, or looks again when its silence would be long enough. */
export const closeSession = jobRow(closeSessionJob, {
  concurrency: 16,
  handle: ({ session_id }, ctx) => endIfSilent(ctx, session_id),
});

export const evaluateBudgets = jobRow(evaluateBudgetsJob, {
  concurrency: 4,
  handle: ({ org_id }, ctx) => evaluateDue(ctx, org_id),
});

/** While a session runs at most once a minute, and at its end. */
export const detectAnomalies = jobRow(detectAnomaliesJob, {
  concurrency: 8,
  handle: ({ session_id }, ctx) => checkSession(ctx, session_id),
});

/** How many attempts run is limited per endpoint (shared/webhooks/sending/permits.ts). */
export const deliverWebhook = jobRow(deliverWebhookJob, { concurrency: 'open', handle: attempt });

export const retryWebhook = jobRow(retryWebhookJob, { concurrency: 'open', handle: attempt });

export const holdWebhook = jobRow(holdWebhookJob, {
  concurrency: 4,
  handle: ({ webhook_id }, ctx) => holdDeliveries(ctx, webhook_id),
});

export const drainWebhook = jobRow(drainWebhookJob, {
  concurrency: 256,
  handle: ({ webhook_id }, ctx) => drainDeliveries(ctx, webhook_id),
});

export const alertAdmins = jobRow(alertAdminsJob, {
  concurrency: 4,
  handle: ({ webhook_id }, ctx) => mailAdmins(ctx, webhook_id),
});

/** It leaves balances as they are and puts accounts on the plan of their organization. */
export const reconcileCredits = jobRow(reconcileCreditsJob, {
  concurrency: 1,
  everyMs: 3_600_000,
  handle: (_data, ctx) => reconcileUnlessRebuilding(ctx),
});

export const expireCredits = jobRow(expireCreditsJob, {
  concurrency: 1,
  everyMs: 600_000,
  handle: (_data, ctx) => writeOffExpired(ctx),
});

/** What a signal may still have changed is put right. */
export const reconcileUsage = jobRow(reconcileUsageJob, {
  concurrency: 1,
  everyMs: 86_400_000,
  handle: (_data, ctx) => reconcileAllUsage(ctx, { repair: true }),
});

/** Days and months that have closed, and those that a late signal changed. */
export const makeSnapshots = jobRow(makeSnapshotsJob, {
  concurrency: 2,
  everyMs: 900_000,
  handle: ({ range }, ctx) => (range ? makeAskedSnapshots(ctx, range) : makeAllSnapshots(ctx)),
});

/** Weeks that ended a day ago, and what arrived late for others. */
export const freezeAnalytics = jobRow(freezeAnalyticsJob, {
  concurrency: 1,
  everyMs: 3_600_000,
  handle: (_data, ctx) => freezeAllAnalytics(ctx),
});

export const purgeOld = jobRow(purgeJob, {
  concurrency: 1,
  everyMs: 3_600_000,
  handle: (_data, ctx) => purge(ctx, RETENTION),
});

/** Every job, with what is done about it. Those with `everyMs` repeat by BullMQ's Job Schedulers. */
export const JOB_TABLE: readonly JobRow[] = [
  closeSession,
  evaluateBudgets,
  detectAnomalies,
  deliverWebhook,
  retryWebhook,
  holdWebhook,
  drainWebhook,
  alertAdmins,
  reconcileCredits,
  expireCredits,
  reconcileUsage,
  makeSnapshots,
  freezeAnalytics,
  purgeOld,
];

/** What the sweeper looks for: rows that are due without a live job. Each returns how many it woke. */
export const SWEEPS: readonly { queue: string; sweep: (ctx: Context) => Promise<number> }[] = [
  { queue: closeSession.kind, sweep: sweepSilentSessions },
  { queue: evaluateBudgets.kind, sweep: sweepDueBudgets },
  { queue: detectAnomalies.kind, sweep: sweepDueChecks },
  { queue: deliverWebhook.kind, sweep: sweepDeliveries },
  { queue: alertAdmins.kind, sweep: sweepWebhookTasks },
];

async function attempt(
  data: JobData<typeof deliverWebhookJob>,
  ctx: Context,
): Promise<WakeAgain | undefined> {
  const decisions = await attemptDeliveries(ctx, data);
  const later = decisions.map(({ notBeforeMs }) => notBeforeMs).filter((atMs) => atMs !== undefined);
  return later.length === 0 ? undefined : { notBeforeMs: Math.min(...later) };
}

/** A rebuild is over by then, or the next look tells. */
const AFTER_REBUILD_MS = 60_000;

async function reconcileUnlessRebuilding(ctx: Context): Promise<unknown> {
  try {
    return await reconcileAllCredits(ctx, { repair: false });
  } catch (error) {
    if (error instanceof DomainError && error.code === 'rebuilding')
      return { notBeforeMs: ctx.clock.now() + AFTER_REBUILD_MS };
    throw error;
  }
}
