import { organizationRows } from '../../organizations/model.ts';
import { isoTime } from '../../platform/basics/clock.ts';
import type { Context } from '../../platform/context/context.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import { endTask, readTask, setTask } from '../endpoints/tasks.ts';

const TRY_AGAIN_MS = 60_000;

/** Tells an organization's admins that a webhook is failing: one mail, tried again each minute until it was taken. */
export async function alertAdmins(ctx: Context, webhookId: string): Promise<void> {
  if (!(await readTask(ctx, 'alert-admins', webhookId))) return;
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId });
  if (webhook?.status === 'failing') {
    try {
      await mailAdmins(ctx, webhook);
    } catch (error) {
      ctx.log.warn({ err: error, webhook_id: webhookId }, 'the admins were not told; again in a minute');
      const dueMs = ctx.clock.now() + TRY_AGAIN_MS;
      await inTransaction(ctx.db, (transaction) =>
        setTask(ctx, { kind: 'alert-admins', webhook_id: webhookId, dueMs, untilMs: dueMs }, transaction),
      );
      return;
    }
  }
  await endTask(ctx, 'alert-admins', webhookId);
}

async function mailAdmins(ctx: Context, webhook: Webhook): Promise<void> {
  const organization = await organizationRows(ctx).findOne({ _id: webhook.org_id });
  const to = organization?.admin_emails ?? [];
  const sent = await sendMail(ctx, {
    to,
    subject: `Webhook ${webhook._id} is failing`,
    text: textOf(webhook, ctx.config.baseUrl ?? ''),
  });
  const fields = { webhook_id: webhook._id, org_id: webhook.org_id, admins: to.length, mail: sent };
  ctx.log.warn(fields, 'a webhook is failing');
}

function textOf(webhook: Webhook, baseUrl: string): string {
  const since = webhook.failing_since ? isoTime(webhook.failing_since.getTime()) : 'now';
  return [
    `A delivery to the webhook ${webhook._id} (${new URL(webhook.url).host}) has failed its fifth attempt at ${since}.`,
    '',
    'Its deliveries are held since then: nothing is lost, and nothing is sent until it is enabled again.',
    'Once the endpoint answers, an admin enables it by',
    `  POST ${baseUrl}/v1/webhooks/${webhook._id}/enable`,
    'or an operator by',
    `  governor webhook enable ${webhook._id}`,
    'What was held is then sent in order.',
  ].join('\n');
}
