import { eventRows } from '../../events/model.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { onShard } from '../../platform/mongo/on-shard.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import type { Webhook } from '../endpoints/model.ts';
import type { Rendered } from '../messages/message.ts';
import { render } from '../messages/render.ts';
import { type Delivery, deliveryRows, logOfQueued, queuedDeliveryRows } from './model.ts';

/**
 * One delivery of a webhook with what it sends; null when its event is gone already. One snapshot, so that a delivery
 * which is finished or sent again meanwhile is found. Throws `not_found`.
 */
export async function getDelivery(
  ctx: Context,
  { _id: webhookId, org_id, format }: Webhook,
  deliveryId: string,
): Promise<{ delivery: Delivery; sent: Rendered | null }> {
  const named = onShard(ctx, { _id: deliveryId }, { webhook_id: webhookId });
  return inTransaction(ctx.db, async (snapshot) => {
    const options = { session: snapshot };
    const queued = await queuedDeliveryRows(ctx).findOne(named, options);
    if (queued?.webhook_id === webhookId)
      return { delivery: logOfQueued(queued), sent: render(format, queued.body) };
    const delivery = await deliveryRows(ctx).findOne(named, options);
    if (delivery?.webhook_id !== webhookId) throw new DomainError('not_found', 'There is no such delivery.');
    const ofEvent = onShard(ctx, { _id: delivery.event_id }, { org_id });
    const event = await eventRows(ctx).findOne(ofEvent, options);
    return { delivery, sent: event && render(format, event.body) };
  });
}
