import type { ClientSession } from 'mongoose';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { inTransaction, raw } from '../mongo.ts';
import {
  type Delivery,
  holdsDeliveries,
  POSITIONS_PER_MS,
  type QueuedDelivery,
  viewOfQueued,
  type Webhook,
} from './model.ts';
import { nextRoundOf } from './plan-deliveries.ts';
import { replaceQueued } from './record-outcome.ts';

/**
 * Sends a delivery again from attempt 1, whatever became of it: the same event id and bytes. While its webhook is
 * failing or paused it is held. Throws `not_found`.
 */
export async function redeliver(ctx: Context, webhook: Webhook, deliveryId: string): Promise<Delivery> {
  return inTransaction(ctx.db, async (transaction) => {
    const delivery = await takeOut(ctx, deliveryId, webhook._id, transaction);
    const current = await raw(ctx.db.webhooks).findOne({ _id: webhook._id }, { session: transaction });
    if (!current) throw new DomainError('not_found', 'There is no such webhook.');
    const isHeld = holdsDeliveries(current);
    const position = delivery.created_at.getTime() * POSITIONS_PER_MS;
    const queued: QueuedDelivery = {
      ...delivery,
      state: isHeld ? 'held' : 'pending',
      at: isHeld ? position : ctx.clock.now(),
      ...nextRoundOf(delivery),
      position,
    };
    await replaceQueued(ctx, [queued], transaction);
    return viewOfQueued(queued);
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
  const queued = await raw(ctx.db.queuedDeliveries).findOne({ _id }, options);
  if (queued?.webhook_id === webhookId) return queued;
  const delivery = await raw(ctx.db.deliveries).findOne({ _id }, options);
  const event = delivery && (await raw(ctx.db.events).findOne({ _id: delivery.event_id }, options));
  if (delivery?.webhook_id !== webhookId || event?.body === undefined)
    throw new DomainError('not_found', 'There is no such delivery.');
  await raw(ctx.db.deliveries).deleteOne({ _id }, options);
  const { status: _status, next_attempt_at: _next, ...logged } = delivery;
  return { ...logged, body: event.body };
}
