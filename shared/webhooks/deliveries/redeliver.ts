import type { ClientSession } from 'mongoose';
import { eventRows } from '../../events/model.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import {
  type Delivery,
  deliveryRows,
  logOfQueued,
  POSITIONS_PER_MS,
  type QueuedDelivery,
  queuedDeliveryRows,
} from './model.ts';
import { replaceQueued } from './replace-queued.ts';
import { nextRoundOf } from './wake-deliveries.ts';

/**
 * Sends a delivery again from attempt 1, whatever became of it: the same event id and bytes. While its webhook is
 * failing it is held. Throws `not_found`.
 */
export async function redeliver(ctx: Context, webhook: Webhook, deliveryId: string): Promise<Delivery> {
  return inTransaction(ctx.db, async (transaction) => {
    const delivery = await takeOut(ctx, deliveryId, webhook._id, transaction);
    const current = await webhookRows(ctx).findOne({ _id: webhook._id }, { session: transaction });
    if (!current) throw new DomainError('not_found', 'There is no such webhook.');
    const isHeld = current.status === 'failing';
    const position = delivery.created_at.getTime() * POSITIONS_PER_MS;
    const queued: QueuedDelivery = {
      ...delivery,
      state: isHeld ? 'held' : 'pending',
      at: isHeld ? position : ctx.clock.now(),
      ...nextRoundOf(delivery),
      position,
    };
    await replaceQueued(ctx, [queued], transaction);
    return logOfQueued(queued);
  });
}

type TakenOut = Omit<QueuedDelivery, 'state' | 'at' | 'attempt' | 'wake' | 'position'>;

/** From the log of what is finished, or as it is queued. */
async function takeOut(
  ctx: Context,
  _id: string,
  webhookId: string,
  transaction: ClientSession,
): Promise<TakenOut> {
  const options = { session: transaction };
  const queued = await queuedDeliveryRows(ctx).findOne({ _id }, options);
  if (queued?.webhook_id === webhookId) return queued;
  const delivery = await deliveryRows(ctx).findOne({ _id }, options);
  const event = delivery && (await eventRows(ctx).findOne({ _id: delivery.event_id }, options));
  if (delivery?.webhook_id !== webhookId || event?.body === undefined)
    throw new DomainError('not_found', 'There is no such delivery.');
  await deliveryRows(ctx).deleteOne({ _id }, options);
  const { status: _status, next_attempt_at: _next, ...logged } = delivery;
  return { ...logged, body: event.body };
}
