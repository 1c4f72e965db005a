import { revokeDevicesJob } from '../shared/core/accounts/devices/jobs.ts';
import { revokeDevicesOfRemoved } from '../shared/core/accounts/devices/revoke-device.ts';
import { releaseReservationsJob } from '../shared/core/accounts/keys/jobs.ts';
import { endIfSilent } from '../shared/core/calls/ingest/end-session.ts';
import { endSessionJob, moveSessionEndsJob } from '../shared/core/calls/sessions/jobs.ts';
import { moveSessionEnds as moveOpenEnds } from '../shared/core/calls/sessions/move-session-ends.ts';
import { makeSnapshotsJob, reconcileUsageJob } from '../shared/core/calls/usage/jobs.ts';
import { makeAllSnapshots, makeAskedSnapshots } from '../shared/core/calls/usage/make-snapshots.ts';
import { reconcileAllUsage } from '../shared/core/calls/usage/reconcile-usage.ts';
import { expireCreditsJob, reconcileCreditsJob } from '../shared/core/credits/jobs.ts';
import { reconcileCredits as reconcileAllCredits } from '../shared/core/credits/ledger/reconcile.ts';
import { expireCredits as writeOffExpired } from '../shared/core/credits/meter/expire-credits.ts';
import { sendDueMail } from '../shared/core/events/mails/send-due-mail.ts';
import { alertAdmins as mailAdmins } from '../shared/core/events/webhooks/deliveries/alert-admins.ts';
import { expireHeld as expireTooManyHeld } from '../shared/core/events/webhooks/deliveries/expire-held.ts';
import {
  deliverWebhookJob,
  expireHeldJob,
  planDeliveriesJob,
  recoverDeliveriesJob,
  retryWebhookJob,
  sendDigestsJob,
} from '../shared/core/events/webhooks/deliveries/jobs.ts';
import { planStep } from '../shared/core/events/webhooks/deliveries/plan-in-steps.ts';
import { holdExhausted } from '../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { sendDigests as sendDueDigests } from '../shared/core/events/webhooks/deliveries/send-digests.ts';
import { alertAdminsJob, drainWebhookJob } from '../shared/core/events/webhooks/endpoints/jobs.ts';
import { deliver } from '../shared/core/events/webhooks/sending/deliver.ts';
import { drainDeliveries } from '../shared/core/events/webhooks/sending/drain-deliveries.ts';
import { evaluateDue } from '../shared/core/limits/budgets/fire/evaluate-due.ts';
import { evaluateBudgetsJob } from '../shared/core/limits/budgets/rules/jobs.ts';
import { releaseDue } from '../shared/core/limits/enforcement/reserve/release-due.ts';
import { purgeJob } from '../shared/core/retention/jobs.ts';
import { purge } from '../shared/core/retention/purge.ts';
import { hashNames as hashNamesOf } from '../shared/people/hash-names.ts';
import { hashNamesJob, mailInvitationJob } from '../shared/people/jobs.ts';
import { invitationMail } from '../shared/people/mail-invitation.ts';
import { DAY_MS } from '../shared/platform/basics/interval.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { RETENTION } from '../shared/tables/retention.ts';
import { freezeAllAnalytics } from '../shared/wings/analytics/freeze-weeks.ts';
import { freezeAnalyticsJob } from '../shared/wings/analytics/jobs.ts';
import { checkSession as lookAtSession } from '../shared/wings/anomalies/check-session.ts';
import { checkSessionJob } from '../shared/wings/anomalies/jobs.ts';
import { digestMail } from '../shared/wings/digests/mail-digest.ts';
import { mailDigestJob, moveDigestsJob } from '../shared/wings/digests/preferences/jobs.ts';
import { moveDigests as moveDigestTimes } from '../shared/wings/digests/preferences/move-digests.ts';
import { reportHeldJob } from '../shared/wings/held/jobs.ts';
import { reportHeld as reportHeldSignals } from '../shared/wings/held/report-held.ts';
import { closeAllMonths } from '../shared/wings/push/closing/close-months.ts';
import { closeMonthsJob } from '../shared/wings/push/closing/jobs.ts';
import { alertDestination as mailDestination } from '../shared/wings/push/destinations/alert-destination.ts';
import { alertDestinationJob, runDestinationJob } from '../shared/wings/push/destinations/jobs.ts';
import { runDestination as runDueDestination } from '../shared/wings/push/destinations/runs/run-destination.ts';
import { RUNS_AT_ONCE } from '../shared/wings/push/destinations/runs/watch-run.ts';
import { endDueRaise } from '../shared/wings/raises/end-due.ts';
import { endRaiseJob, mailRaiseJob } from '../shared/wings/raises/jobs.ts';
import { raiseMail } from '../shared/wings/raises/mail-raise.ts';
import { moveBranchCallsJob, moveSessionCallsJob } from '../shared/wings/work/moves/jobs.ts';
import {
  moveBranchCalls as moveCallsOfBranch,
  moveSessionCalls as moveCallsOfSession,
} from '../shared/wings/work/moves/move-calls.ts';
import { dueJobRow, jobRow, oneOfOrganization } from './job-row.ts';

// Every job, with what is done about it: what is exported here is a row. Those with `everyMs` repeat by BullMQ's Job
// Schedulers.

/** The end of an open session: ends it, or looks again when its silence would be long enough. */
export const endSession = dueJobRow(endSessionJob, { concurrency: 16, work: endIfSilent });

/** After a change of the session timeout. */
export const moveSessionEnds = dueJobRow(moveSessionEndsJob, { concurrency: 1, work: moveOpenEnds });

/** A key has ended, or a member was removed. */
export const releaseReservations = dueJobRow(releaseReservationsJob, { concurrency: 4, work: releaseDue });

export const evaluateBudgets = dueJobRow(evaluateBudgetsJob, { concurrency: 4, work: evaluateDue });

/** While a session runs at most once a minute, and at its end. */
export const checkSession = dueJobRow(checkSessionJob, { concurrency: 8, work: lookAtSession });

/** After signals were held, and an hour later. */
export const reportHeld = dueJobRow(reportHeldJob, { concurrency: 4, work: reportHeldSignals });

/** After contexts or boundaries that concern more calls than their transaction moves. */
export const moveSessionCalls = dueJobRow(moveSessionCallsJob, { concurrency: 2, work: moveCallsOfSession });
export const moveBranchCalls = dueJobRow(moveBranchCallsJob, { concurrency: 2, work: moveCallsOfBranch });

/** How many attempts run is limited per endpoint (shared/core/events/webhooks/sending/endpoint.ts). */
const attempts = { concurrency: Number.POSITIVE_INFINITY, work: deliver };
export const deliverWebhook = jobRow(deliverWebhookJob, attempts);
export const retryWebhook = jobRow(retryWebhookJob, attempts);

/** Deliveries that were too many for the transaction of their events: one step, then those of others have their turn. */
export const planDeliveries = dueJobRow(planDeliveriesJob, { concurrency: 1, work: planStep });

export const drainWebhook = dueJobRow(drainWebhookJob, { concurrency: 256, work: drainDeliveries });

export const alertAdmins = dueJobRow(alertAdminsJob, { concurrency: 4, work: mailAdmins });

export const recoverDeliveries = dueJobRow(recoverDeliveriesJob, { concurrency: 4, work: holdExhausted });

export const expireHeld = jobRow(expireHeldJob, {
  concurrency: 1,
  everyMs: 60_000,
  work: async (ctx) => ({ expired: await expireTooManyHeld(ctx) }),
});

export const sendDigests = jobRow(sendDigestsJob, {
  concurrency: 1,
  everyMs: 30_000,
  work: async (ctx) => ({ digests: await sendDueDigests(ctx) }),
});

/** The digest of one person. */
export const mailDigest = dueJobRow(mailDigestJob, {
  concurrency: 4,
  work: (ctx, key) => sendDueMail(ctx, digestMail, key),
});

/** Raises that nobody answered, and those that were approved for a time. */
export const endRaise = dueJobRow(endRaiseJob, { concurrency: 4, work: endDueRaise });

export const mailRaise = dueJobRow(mailRaiseJob, {
  concurrency: 4,
  work: (ctx, key) => sendDueMail(ctx, raiseMail, key),
});

export const mailInvitation = dueJobRow(mailInvitationJob, {
  concurrency: 4,
  work: (ctx, key) => sendDueMail(ctx, invitationMail, key),
});

/** After an organization has begun to hide names. */
export const hashNames = dueJobRow(hashNamesJob, { concurrency: 4, work: hashNamesOf });

/** After a change of the organization's timezone. */
export const moveDigests = dueJobRow(moveDigestsJob, { concurrency: 1, work: moveDigestTimes });

/** It leaves balances as they are and puts accounts on the plan of their organization. */
export const reconcileCredits = jobRow(reconcileCreditsJob, {
  concurrency: 1,
  everyMs: 3_600_000,
  work: reconcileUnlessRebuilding,
});

export const expireCredits = jobRow(expireCreditsJob, {
  concurrency: 1,
  everyMs: 600_000,
  work: async (ctx) => ({ accounts: await writeOffExpired(ctx) }),
});

/** Ends devices that the api could not end when it removed the member. */
export const revokeDevices = dueJobRow(revokeDevicesJob, { concurrency: 4, work: revokeDevicesOfRemoved });

/** Corrects the days that a signal may still have changed. */
export const reconcileUsage = jobRow(reconcileUsageJob, {
  concurrency: 1,
  everyMs: DAY_MS,
  work: (ctx) => reconcileAllUsage(ctx, { repair: true }),
});

/** Days and months that have closed, and those that a late signal changed. */
export const makeSnapshots = jobRow(makeSnapshotsJob, {
  concurrency: 2,
  everyMs: 900_000,
  work: async (ctx, { range }) => ({
    snapshots: await (range ? makeAskedSnapshots(ctx, range) : makeAllSnapshots(ctx)),
  }),
});

/** Months whose closing day has come, also where an admin has moved it back. */
export const closeMonths = jobRow(closeMonthsJob, {
  concurrency: 1,
  everyMs: 300_000,
  work: async (ctx) => ({ months: await closeAllMonths(ctx) }),
});

/** Writes the days that a destination of exports lacks, in turns of a minute: one destination of an organization at a time. */
export const runDestination = dueJobRow(runDestinationJob, {
  concurrency: RUNS_AT_ONCE,
  work: oneOfOrganization(runDestinationJob, (ctx, key) => runDueDestination(ctx, key)),
});

/** A destination fails. */
export const alertDestination = dueJobRow(alertDestinationJob, { concurrency: 4, work: mailDestination });

/** Weeks that ended a day ago, and what arrived late for others. */
export const freezeAnalytics = jobRow(freezeAnalyticsJob, {
  concurrency: 1,
  everyMs: 3_600_000,
  work: freezeAllAnalytics,
});

export const purgeOld = jobRow(purgeJob, {
  concurrency: 1,
  everyMs: 3_600_000,
  work: (ctx) => purge(ctx, RETENTION),
});

/** A rebuild is over by then, or the next look tells. */
const AFTER_REBUILD_MS = 60_000;

async function reconcileUnlessRebuilding(ctx: Context): Promise<unknown> {
  const { drifted, ...counts } = await reconcileAllCredits(ctx, { repair: false });
  const isRebuilding = counts.unchecked > 0 && counts.unchecked === counts.accounts;
  return isRebuilding
    ? { notBeforeMs: ctx.clock.now() + AFTER_REBUILD_MS }
    : { ...counts, drifted: drifted.length };
}
