import { isoTime } from '../../../../platform/basics/clock.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { nameMaker } from '../../../accounts/keys/model.ts';
import { isPaused, type Webhook, webhookRows } from '../endpoints/model.ts';
import { listDeliveries } from './list-deliveries.ts';
import { describeWebhooks, type ListedWebhook } from './list-webhooks.ts';
import type { Delivery } from './model.ts';

/**
 * The webhooks of one organization or of all, oldest first, with what an operator asks first: does it deliver, and if not, why.
 * `alerted_at` null: nobody was told of it failing.
 */
export async function listForOperator(
  ctx: Context,
  { orgId, failing }: { orgId?: string | undefined; failing: boolean },
) {
  const filter = {
    ...(orgId === undefined ? {} : { org_id: orgId }),
    ...(failing ? { status: 'failing' as const } : {}),
  };
  const webhooks = await webhookRows(ctx).find(filter).sort({ created_at: 1 }).toArray();
  const listed = await describeWebhooks(ctx, webhooks);
  return Promise.all(listed.map(async (each) => viewForOperator(each, await lastErrorOf(ctx, each))));
}

function viewForOperator({ webhook, held }: ListedWebhook, last_error: string | null) {
  const { _id, org_id, name, url, format, enabled, status, failing_since, alerted_at, made_by } = webhook;
  return {
    webhook_id: _id,
    name: name ?? null,
    url,
    format,
    state: stateOf(webhook),
    held,
    last_error,
    org_id,
    enabled,
    made_by: nameMaker(made_by),
    status,
    failing_since: failing_since && isoTime(failing_since.getTime()),
    alerted_at: alerted_at && isoTime(alerted_at.getTime()),
  };
}

/** One word. Failing goes before paused, because somebody has to mend it. */
function stateOf({ status, enabled }: Webhook): string {
  if (status === 'failing') return 'failing';
  return enabled ? 'active' : 'paused';
}

/** The way in which the last attempt failed; while nothing is sent, that of the last delivery that was given up. */
async function lastErrorOf(ctx: Context, { webhook, lastDelivery }: ListedWebhook): Promise<string | null> {
  if (lastDelivery === null || lastDelivery.attempts.length > 0 || !isPaused(webhook))
    return errorOf(webhook, lastDelivery);
  const newest = { order: 'desc', limit: 1, after: null, total: 0 } as const;
  const { rows } = await listDeliveries(ctx, webhook, { status: 'exhausted' }, newest);
  return errorOf(webhook, rows[0] ?? null);
}

function errorOf({ format }: Webhook, delivery: Delivery | null): string | null {
  const attempt = delivery?.attempts.at(-1);
  if (!attempt || attempt.error === null) return null;
  return attempt.status === null
    ? attempt.error
    : `${format === 'email' ? 'SMTP' : 'HTTP'} ${attempt.status}`;
}
