import type { Event } from '../../events/model.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { commitPlan, joinPlans } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { deleteRows, type Write } from '../../platform/mongo/writes.ts';
import { getWebhook } from '../endpoints/get-webhook.ts';
import { isPaused, type Webhook } from '../endpoints/model.ts';
import { type FoundDelivery, findDelivery } from './find-delivery.ts';
import { type Delivery, deliveryRows, logOfQueued, positionOf, type QueuedDelivery } from './model.ts';
import { replaceQueued } from './replace-queued.ts';
import { nextRoundOf } from './wake-deliveries.ts';

/**
 * Sends a delivery again from attempt 1, whatever became of it: the same event id and bytes. While its webhook is paused
 * it is held. Throws `not_found`, and `conflict` when its event is gone.
 */
export async function redeliver(
  ctx: Context,
  { _id, org_id }: Pick<Webhook, '_id' | 'org_id'>,
  deliveryId: string,
): Promise<Delivery> {
  return commitPlan(ctx, async (transaction) => {
    const webhook = await getWebhook(ctx, org_id, _id, transaction);
    const { delivery, takeOut } = toQueue(await findDelivery(ctx, webhook, deliveryId, transaction));
    const isHeld = isPaused(webhook);
    const queued: QueuedDelivery = {
      ...delivery,
      state: isHeld ? 'held' : 'pending',
      at: isHeld ? delivery.position : ctx.clock.now(),
      ...nextRoundOf(delivery),
    };
    const plan = joinPlans({ writes: takeOut, wakeUps: [] }, replaceQueued([queued]));
    return { ...plan, result: logOfQueued(queued) };
  });
}

/** What a delivery is before it is queued again. */
export type Requeued = Omit<QueuedDelivery, 'state' | 'at' | 'attempt' | 'wake'>;

/** A finished delivery with its event's bytes and place, as it is queued again. */
export function requeued({ status: _status, ...delivery }: Delivery, event: Event): Requeued {
  const { next_attempt_at: _next, finished_at: _finished, ...logged } = delivery;
  return { ...logged, body: event.body, position: positionOf(event) };
}

/** The delivery as it is queued, or taken out of the log of what is finished. */
function toQueue(found: FoundDelivery): { delivery: Requeued; takeOut: Write[] } {
  if ('queued' in found) return { delivery: found.queued, takeOut: [] };
  const { delivery, event } = found;
  if (!event)
    throw new DomainError('conflict', 'The event of this delivery is older than its retention and gone.');
  return {
    delivery: requeued(delivery, event),
    takeOut: [deleteRows(deliveryRows, { _id: delivery._id }, { webhook_id: delivery.webhook_id })],
  };
}
