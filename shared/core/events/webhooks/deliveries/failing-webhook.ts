import { isoTime } from '../../../../platform/basics/clock.ts';
import { baseUrl } from '../../../../platform/basics/config.ts';
import { sayMoment } from '../../../../platform/basics/say-moment.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { FailingKind } from '../endpoints/alert-failing.ts';
import { alertAdminsJob } from '../endpoints/jobs.ts';
import { mailAdmins } from '../endpoints/mail-admins.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';

export const failingWebhook: FailingKind<Webhook> = {
  job: alertAdminsJob,
  rows: webhookRows,
  told: 'alerted_at',
  isWanted: ({ status, alerted_at }) => status === 'failing' && alerted_at === null,
  mail: mailFailing,
};

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
  const since = webhook.failing_since ? sayMoment(isoTime(webhook.failing_since.getTime())) : 'now';
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
