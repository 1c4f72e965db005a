import { inBatches } from '../../../../platform/basics/in-batches.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { getWebhook } from '../endpoints/get-webhook.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import { listDeliveries } from './list-deliveries.ts';
import { type Delivery, queuedDeliveryRows } from './model.ts';

export interface ListedWebhook {
  webhook: Webhook;
  held: number;
  lastDelivery: Delivery | null;
}

/** Webhooks that are looked at side by side. */
const TOGETHER = 8;

/** All webhooks of an organization, oldest first. */
export async function listWebhooks(ctx: Context, orgId: string): Promise<ListedWebhook[]> {
  const webhooks = await webhookRows(ctx).find({ org_id: orgId }).sort({ created_at: 1 }).toArray();
  return describeWebhooks(ctx, webhooks);
}

/** Webhooks with what became of their deliveries, in the same order. */
export async function describeWebhooks(ctx: Context, webhooks: readonly Webhook[]): Promise<ListedWebhook[]> {
  return Array.fromAsync(inBatches(webhooks, TOGETHER, (webhook) => describe(ctx, webhook)));
}

/** One webhook as the list shows it. Throws `not_found`. */
export async function describeWebhook(
  ctx: Context,
  orgId: string,
  webhookId: string,
): Promise<ListedWebhook> {
  return describe(ctx, await getWebhook(ctx, orgId, webhookId));
}

async function describe(ctx: Context, webhook: Webhook): Promise<ListedWebhook> {
  const held = await queuedDeliveryRows(ctx).countDocuments({ webhook_id: webhook._id, state: 'held' });
  const newest = { order: 'desc', limit: 1, after: null, total: 0 } as const;
  const { rows } = await listDeliveries(ctx, webhook, {}, newest);
  return { webhook, held, lastDelivery: rows[0] ?? null };
}
