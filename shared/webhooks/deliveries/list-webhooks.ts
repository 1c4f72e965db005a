import type { Context } from '../../platform/context/context.ts';
import { getWebhook } from '../endpoints/get-webhook.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import { findLastDeliveries } from './last-deliveries.ts';
import { type Delivery, queuedDeliveryRows } from './model.ts';

/** A webhook with what became of its deliveries. */
export interface ListedWebhook {
  webhook: Webhook;
  held: number;
  lastDelivery: Delivery | null;
}

/** All webhooks of an organization, oldest first. */
export async function listWebhooks(ctx: Context, orgId: string): Promise<ListedWebhook[]> {
  const webhooks = await webhookRows(ctx).find({ org_id: orgId }).sort({ created_at: 1 }).toArray();
  return describeWebhooks(ctx, orgId, webhooks);
}

/** One webhook as the list shows it. Throws `not_found`. */
export async function describeWebhook(
  ctx: Context,
  orgId: string,
  webhookId: string,
): Promise<ListedWebhook> {
  const webhook = await getWebhook(ctx, orgId, webhookId);
  const [described] = await describeWebhooks(ctx, orgId, [webhook]);
  return described ?? { webhook, held: 0, lastDelivery: null };
}

async function describeWebhooks(
  ctx: Context,
  orgId: string,
  webhooks: readonly Webhook[],
): Promise<ListedWebhook[]> {
  if (webhooks.length === 0) return [];
  const [held, last] = await Promise.all([
    countHeld(ctx, webhooks),
    findLastDeliveries(ctx, orgId, webhooks),
  ]);
  return webhooks.map((webhook) => ({
    webhook,
    held: held.get(webhook._id) ?? 0,
    lastDelivery: last.get(webhook._id) ?? null,
  }));
}

async function countHeld(ctx: Context, webhooks: readonly Webhook[]): Promise<Map<string, number>> {
  const counted = await queuedDeliveryRows(ctx)
    .aggregate<{ _id: string; held: number }>([
      { $match: { webhook_id: { $in: webhooks.map(({ _id }) => _id) }, state: 'held' } },
      { $group: { _id: '$webhook_id', held: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(counted.map(({ _id, held }) => [_id, held]));
}
