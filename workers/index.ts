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
import { expireHeld as expireTooManyHeld } from '../shared/core/events/webhooks/deliveries/expire-held.ts';
import { failingWebhook } from '../shared/core/events/webhooks/deliveries/failing-webhook.ts';
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
import { alertFailing } from '../shared/core/events/webhooks/endpoints/alert-failing.ts';
import { alertAdminsJob, drainWebhookJob } from '../shared/core/events/webhooks/endpoints/jobs.ts';
import { deliver } from '../shared/core/events/webhooks/sending/deliver.ts';
import { drainDeliveries } from '../shared/core/events/webhooks/sending/drain-deliveries.ts';
import { evaluateDue } from '../shared/core/limits/budgets/fire/evaluate-due.ts';
import { ownerMail } from '../shared/core/limits/budgets/fire/mail-owner.ts';
import { evaluateBudgetsJob, mailOwnerJob } from '../shared/core/limits/budgets/rules/jobs.ts';
import { releaseDue } from '../shared/core/limits/enforcement/reserve/release-due.ts';
import { purgeJob } from '../shared/core/retention/jobs.ts';
import { purge } from '../shared/core/retention/purge.ts';
import { hashNames as hashNamesOf } from '../shared/people/hash-names.ts';
import { hashNamesJob, mailInvitationJob } from '../shared/people/jobs.ts';
import { invitationMail } from '../shared/people/mail-invitation.ts';
import { DAY_MS } from '../shared/platform/basics/interval.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { RETENTION } from '../shared/tables/retention.ts';
import { dueJobRow, jobRow } from './job-row.ts';

// Every job, with what is done about it: what is exported here is a row. Those with `everyMs` repeat by BullMQ's Job
// Schedulers. The jobs of a wing come from its file.

export * from './wings/analytics.ts';
export * from './wings/anomalies.ts';
export * from './wings/digests.ts';
export * from './wings/held.ts';
export * from './wings/prices.ts';
export * from './wings/push.ts';
export * from './wings/raises.ts';
export * from './wings/work.ts';

/** The end of an open session: ends it, or looks again when its silence would be long enough. */
export const endSession = dueJobRow(endSessionJob, { concurrency: 16, work: endIfSilent });

/** After a change of the session timeout. */
export const moveSessionEnds = dueJobRow(moveSessionEndsJob, { concurrency: 1, work: moveOpenEnds });

/** A key has ended, or a member was removed. */
export const releaseReservations = dueJobRow(releaseReservationsJob, { concurrency: 4, work: releaseDue });

export const mailOwner = dueJobRow(mailOwnerJob, {
  concurrency: 4,
  work: (ctx, key) => sendDueMail(ctx, ownerMail, key),
});

export const evaluateBudgets = dueJobRow(evaluateBudgetsJob, { concurrency: 4, work: evaluateDue });

/** How many attempts run is limited per endpoint (shared/core/events/webhooks/sending/endpoint.ts). */
const attempts = { concurrency: Number.POSITIVE_INFINITY, work: deliver };
export const deliverWebhook = jobRow(deliverWebhookJob, attempts);
export const retryWebhook = jobRow(retryWebhookJob, attempts);

/** Deliveries that were too many for the transaction of their events: one step, then those of others have their turn. */
export const planDeliveries = dueJobRow(planDeliveriesJob, { concurrency: 1, work: planStep });

export const drainWebhook = dueJobRow(drainWebhookJob, { concurrency: 256, work: drainDeliveries });

export const alertAdmins = dueJobRow(alertAdminsJob, {
  concurrency: 4,
  work: (ctx, id) => alertFailing(ctx, failingWebhook, id),
});

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

export const mailInvitation = dueJobRow(mailInvitationJob, {
  concurrency: 4,
  work: (ctx, key) => sendDueMail(ctx, invitationMail, key),
});

/** After an organization has begun to hide names. */
export const hashNames = dueJobRow(hashNamesJob, { concurrency: 4, work: hashNamesOf });

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
