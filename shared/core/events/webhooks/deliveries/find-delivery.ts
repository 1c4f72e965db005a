import type { ClientSession } from 'mongoose';
import { DomainError } from '../../../../platform/basics/errors.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import { type Event, eventRows } from '../../record/model.ts';
import type { Webhook } from '../endpoints/model.ts';
import type { Rendered } from '../messages/message.ts';
import { render } from '../messages/render.ts';
import {
  type Delivery,
  deliveryRows,
  logOfQueued,
  type QueuedDelivery,
  queuedDeliveryRows,
} from './model.ts';

/** A delivery as it is queued, or from the log of what is finished, with its event; null when that is gone already. */
export type FoundDelivery = { queued: QueuedDelivery } | { delivery: Delivery; event: Event | null };

/** A delivery of a webhook, in one snapshot: one that is finished or sent again meanwhile is found. Throws `not_found`. */
export async function findDelivery(
  ctx: Context,
  { _id: webhookId, org_id }: Pick<Webhook, '_id' | 'org_id'>,
  deliveryId: string,
  transaction: ClientSession,
): Promise<FoundDelivery> {
  const options = { session: transaction };
  const named = { _id: deliveryId, webhook_id: webhookId };
  const queued = await queuedDeliveryRows(ctx).findOne(named, options);
  if (queued) return { queued };
  const delivery = await deliveryRows(ctx).findOne(named, options);
  if (!delivery) throw new DomainError('not_found', 'There is no such delivery.');
  const ofEvent = { _id: delivery.event_id, org_id };
  return { delivery, event: await eventRows(ctx).findOne(ofEvent, options) };
}

/** One delivery of a webhook with what it sends; null when its event is gone already. Throws `not_found`. */
export async function getDelivery(
  ctx: Context,
  webhook: Webhook,
  deliveryId: string,
): Promise<{ delivery: Delivery; sent: Rendered | null }> {
  const found = await inTransaction(ctx.db, (snapshot) => findDelivery(ctx, webhook, deliveryId, snapshot));
  if ('queued' in found)
    return {
      delivery: logOfQueued(found.queued),
      sent: render(webhook.format, found.queued.body, found.queued.words),
    };
  const { delivery, event } = found;
  return { delivery, sent: event && render(webhook.format, event.body, event.words) };
}
