import { dateAt } from '../clock.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { inTransaction, raw } from '../mongo.ts';
import type { Delivery, QueuedDelivery, Webhook } from './model.ts';
import { wakeOf } from './plan-deliveries.ts';
import { replaceQueued } from './record-outcome.ts';

/**
 * Sends a delivery again from attempt 1, whatever became of it: the same event id and bytes. While its webhook is
 * failing it is held. Throws `not_found`.
 */
export async function redeliver(ctx: Context, webhook: Webhook, deliveryId: string): Promise<Delivery> {
  return inTransaction(ctx.db, async (transaction) => {
    const delivery = await raw(ctx.db.deliveries).findOne({ _id: deliveryId }, { session: transaction });
    if (delivery?.webhook_id !== webhook._id)
      throw new DomainError('not_found', 'There is no such delivery.');
    const current = await raw(ctx.db.webhooks).findOne({ _id: webhook._id }, { session: transaction });
    if (!current) throw new DomainError('not_found', 'There is no such webhook.');
    const nowMs = ctx.clock.now();
    const position = delivery.created_at.getTime() * 4_096;
    const isHeld = current.status === 'failing';
    const round = delivery.round + 1;
    const queued: QueuedDelivery = {
      _id: delivery._id,
      event_id: delivery.event_id,
      webhook_id: delivery.webhook_id,
      state: isHeld ? 'held' : 'pending',
      at: isHeld ? position : nowMs,
      round,
      attempt: 1,
      wake: wakeOf({ _id: delivery._id, round, attempt: 1 }),
      position,
    };
    const changed = {
      status: queued.state,
      round,
      next_attempt_at: isHeld ? null : dateAt(nowMs),
    };
    await replaceQueued(ctx, new Map([[queued._id, queued]]), transaction);
    await raw(ctx.db.deliveries).updateOne(
      { _id: delivery._id },
      { $set: changed },
      { session: transaction },
    );
    return { ...delivery, ...changed };
  });
}
