import type { Context } from '../../platform/context/context.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import { lastDelivery } from './list-deliveries.ts';
import { type Delivery, queuedDeliveryRows } from './model.ts';

export interface ListedWebhook {
  webhook: Webhook;
  held: number;
  lastDelivery: Delivery | null;
}

/** All webhooks of an organization, oldest first. */
export async function listWebhooks(ctx: Context, orgId: string): Promise<ListedWebhook[]> {
  const webhooks = await webhookRows(ctx).find({ org_id: orgId }).sort({ created_at: 1 }).toArray();
  return Promise.all(
    webhooks.map(async (webhook) => ({
      webhook,
      held: await queuedDeliveryRows(ctx).countDocuments({ webhook_id: webhook._id, state: 'held' }),
      lastDelivery: await lastDelivery(ctx, webhook),
    })),
  );
}
