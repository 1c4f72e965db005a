import type { Event } from '../../events/model.ts';
import { derivedId } from '../../platform/basics/ids.ts';
import type { Plan } from '../../platform/context/commit-plan.ts';
import { insertRow } from '../../platform/mongo/writes.ts';
import { deliveryTime } from '../endpoints/delivery-time.ts';
import type { Subscriber } from '../endpoints/find-subscribers.ts';
import { isPaused } from '../endpoints/model.ts';
import { positionOf, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { withRows } from './published.ts';
import { wakeOf, wakeUpOf } from './wake-deliveries.ts';

/** Deliveries of one wake-up: few enough that several workers share a burst. */
export const WOKEN_TOGETHER = 20;

/**
 * Plans deliveries, each held when its webhook is paused, and later in its quiet hours or for its digest. Those that become
 * due together at one webhook share wake-ups. Pure.
 */
export function planDeliveries(pairs: readonly { event: Event; webhook: Subscriber }[]): Plan {
  const together = Map.groupBy(
    pairs.map(deliveryOf),
    ({ webhook_id, state, at }) => `${webhook_id} ${state} ${state === 'pending' ? at : ''}`,
  );
  const rows = [...together.values()].flatMap(withWakes);
  const revisions = new Map(pairs.map(({ webhook }) => [webhook._id, webhook.revision]));
  const pending = rows.filter(({ state }) => state === 'pending');
  return {
    writes: rows.map((row) => insertRow(queuedDeliveryRows, row)),
    wakeUps: [...Map.groupBy(pending, ({ wake }) => wake)].map(([wake, own]) =>
      withRows(wakeUpOf(wake, own), own, revisions.get(own[0]?.webhook_id ?? '') ?? 0),
    ),
  };
}

function deliveryOf({ event, webhook }: { event: Event; webhook: Subscriber }): Omit<QueuedDelivery, 'wake'> {
  const atMs = event.created_at.getTime();
  const { dueMs, isCollected } = deliveryTime(event.type, webhook, atMs);
  const position = positionOf(event);
  return {
    _id: derivedId('dlv', event._id, webhook._id),
    event_id: event._id,
    webhook_id: webhook._id,
    org_id: event.org_id,
    type: event.type,
    body: event.body,
    ...(isPaused(webhook) && !isCollected
      ? { state: 'held', at: position }
      : { state: isCollected ? 'collected' : 'pending', at: dueMs }),
    round: 1,
    attempt: 1,
    position,
    attempts: [],
    created_at: event.created_at,
  };
}

/** Gives each run of `WOKEN_TOGETHER` rows the wake-up of its first. */
function withWakes(rows: readonly Omit<QueuedDelivery, 'wake'>[]): QueuedDelivery[] {
  return rows.map((row, index) => ({ ...row, wake: wakeOf(rows[index - (index % WOKEN_TOGETHER)] ?? row) }));
}
