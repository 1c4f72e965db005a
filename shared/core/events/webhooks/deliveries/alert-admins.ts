import { dateAt, isoTime } from '../../../../platform/basics/clock.ts';
import { baseUrl } from '../../../../platform/basics/config.ts';
import { commitPlan, NO_PLAN } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { clearDue, readDue, setDue } from '../../../../platform/due/plan-due.ts';
import { updateRow } from '../../../../platform/mongo/writes.ts';
import { alertAdminsJob } from '../endpoints/jobs.ts';
import { mailAdmins } from '../endpoints/mail-admins.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';

/** How often an unsent alert is tried again. */
const RETRY_MS = 300_000;

/**
 * Writes to an organization's admins that a webhook is failing: one mail. Without a mail server, or an address to which mail
 * may go, the alert stays due and counts as unsent. Throws when the mail server fails, so that the due row is postponed.
 */
export async function alertAdmins(ctx: Context, webhookId: string): Promise<void> {
  if (!(await readDue(ctx, alertAdminsJob, webhookId))) return;
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId });
  const isWanted = webhook?.status === 'failing' && webhook.alerted_at === null;
  const wasSent = isWanted && (await mailFailing(ctx, webhook));
  await commitPlan(ctx, async (transaction) => {
    const due = await readDue(ctx, alertAdminsJob, webhookId, transaction);
    const now = await webhookRows(ctx).findOne({ _id: webhookId }, { session: transaction });
    // Enabled meanwhile, and perhaps failing again: what is due then is another alert.
    const isAnother = now?.failing_since?.getTime() !== webhook?.failing_since?.getTime();
    if (!due || isAnother) return { ...NO_PLAN, result: undefined };
    if (isWanted && !wasSent) {
      const dueMs = ctx.clock.now() + RETRY_MS;
      return { ...setDue(alertAdminsJob, { key: webhookId, orgId: due.org_id, dueMs }), result: undefined };
    }
    const alerted_at = dateAt(ctx.clock.now());
    const alerted = wasSent ? [updateRow(webhookRows, { _id: webhookId }, { $set: { alerted_at } })] : [];
    return { writes: [clearDue(alertAdminsJob, webhookId), ...alerted], wakeUps: [], result: undefined };
  });
}

/** Counts failing webhooks whose admins got no mail yet. */
export async function countUnsentAlerts(ctx: Context): Promise<number> {
  return webhookRows(ctx).countDocuments({ status: 'failing', alerted_at: null });
}

/** The warning of `/readyz` about failing webhooks whose admins were not told. */
export async function warnOfUnsentAlerts(ctx: Context): Promise<string | null> {
  const unsent = await countUnsentAlerts(ctx);
  if (unsent === 0) return null;
  return `${unsent} failing ${unsent === 1 ? 'webhook' : 'webhooks'}, and the admins were not told (governor webhook list --failing)`;
}

async function mailFailing(ctx: Context, webhook: Webhook): Promise<boolean> {
  const { sent, admins } = await mailAdmins(ctx, webhook.org_id, {
    subject: `Webhook ${webhook._id} is failing`,
    text: textOf(webhook, baseUrl(ctx.config)),
  });
  const fields = { webhook_id: webhook._id, org_id: webhook.org_id, admins, mail: sent };
  ctx.log.warn(fields, 'a webhook is failing');
  return sent;
}

function textOf(webhook: Webhook, ownUrl: string): string {
  const since = webhook.failing_since ? isoTime(webhook.failing_since.getTime()) : 'now';
  return [
    `A delivery to the webhook ${webhook._id} (${new URL(webhook.url).host || webhook.url}) has failed its fifth attempt at ${since}.`,
    '',
    'Its deliveries are held since then: nothing is lost, and nothing is sent until it is enabled again.',
    'Once the endpoint answers, an admin enables it in the dashboard,',
    `  ${ownUrl}/dashboard/webhooks/${webhook._id}`,
    'or an operator by',
    `  governor webhook enable ${webhook._id}`,
    'Held deliveries are then sent in order.',
  ].join('\n');
}
