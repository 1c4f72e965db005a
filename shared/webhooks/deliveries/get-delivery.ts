import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import type { Webhook } from '../endpoints/model.ts';
import type { Rendered } from '../messages/message.ts';
import { render } from '../messages/render.ts';
import { findDelivery } from './find-delivery.ts';
import { type Delivery, logOfQueued } from './model.ts';

/** One delivery of a webhook with what it sends; null when its event is gone already. Throws `not_found`. */
export async function getDelivery(
  ctx: Context,
  webhook: Webhook,
  deliveryId: string,
): Promise<{ delivery: Delivery; sent: Rendered | null }> {
  const found = await inTransaction(ctx.db, (snapshot) => findDelivery(ctx, webhook, deliveryId, snapshot));
  if ('queued' in found)
    return { delivery: logOfQueued(found.queued), sent: render(webhook.format, found.queued.body) };
  const { delivery, event } = found;
  return { delivery, sent: event && render(webhook.format, event.body) };
}
