import { DomainError } from '../../../../platform/basics/errors.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { Event } from '../../record/model.ts';
import { guardWebhooks } from '../endpoints/find-subscribers.ts';
import { getWebhook } from '../endpoints/get-webhook.ts';
import { isPaused, type Webhook } from '../endpoints/model.ts';
import { findDelivery } from './find-delivery.ts';
import { type Delivery, logOfQueued, positionOf, type QueuedDelivery } from './model.ts';
import { nextRoundOf, planProgress, planReturn } from './plan-progress.ts';

/**
 * Sends a delivery again from attempt 1, finished or not: the same event id and bytes. While its webhook is paused it is
 * held. Throws `not_found`, and `conflict` for a test, or when its event is gone.
 */
export async function redeliver(
  ctx: Context,
  { _id, org_id }: Pick<Webhook, '_id' | 'org_id'>,
  deliveryId: string,
): Promise<Delivery> {
  return commitPlan(ctx, async (transaction) => {
    const webhook = await getWebhook(ctx, org_id, _id, transaction);
    const found = await findDelivery(ctx, webhook, deliveryId, transaction);
    const delivery = 'queued' in found ? found.queued : requeued(found.delivery, found.event);
    const isHeld = isPaused(webhook);
    const queued: QueuedDelivery = {
      ...delivery,
      state: isHeld ? 'held' : 'pending',
      at: isHeld ? delivery.position : ctx.clock.now(),
      ...nextRoundOf(delivery),
    };
    const plan = 'queued' in found ? planProgress([queued]) : planReturn([queued]);
    return { ...plan, writes: [guardWebhooks(org_id), ...plan.writes], result: logOfQueued(queued) };
  });
}

function wordsOf({ words }: Event): Pick<QueuedDelivery, 'words'> {
  return words === undefined ? {} : { words };
}

/** Returns a finished delivery to be queued again, with bytes and position. Throws `conflict` for a test, and without its event. */
export function requeued(
  { status: _status, next_attempt_at: _next, finished_at: _finished, test, ...logged }: Delivery,
  event: Event | null,
): Omit<QueuedDelivery, 'state' | 'at' | 'attempt' | 'wake'> {
  if (test) throw new DomainError('conflict', 'This delivery was a test. Send another test instead.');
  if (!event)
    throw new DomainError('conflict', 'The event of this delivery is older than its retention and gone.');
  return { ...logged, body: event.body, ...wordsOf(event), position: positionOf(event) };
}
