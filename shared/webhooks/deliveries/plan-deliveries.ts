import type { Event } from '../../events/model.ts';
import { derivedId } from '../../platform/basics/ids.ts';
import type { Plan } from '../../platform/context/commit-plan.ts';
import { insertRow } from '../../platform/mongo/writes.ts';
import type { PlannedWakeUp } from '../../platform/queues/wake-up.ts';
import { deliveryTime } from '../endpoints/delivery-time.ts';
import type { Subscriber } from '../endpoints/find-subscribers.ts';
import { isPaused } from '../endpoints/model.ts';
import { positionOf, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { publicationOf } from './published.ts';
import { wakeOf, wakeUpOf } from './wake-deliveries.ts';

/** Deliveries that one wake-up brings: few enough that several workers share a burst. */
export const WOKEN_TOGETHER = 20;

type Pair = { event: Event; webhook: Subscriber };

/**
 * A plan of deliveries, each held when its webhook is paused, and later in its quiet hours or for its digest. Those that
 * are due together at one webhook share wake-ups. Pure.
 */
export function planDeliveries(pairs: readonly Pair[]): Plan {
  const byWebhook = Map.groupBy(pairs, ({ webhook }) => webhook);
  const groups = [...byWebhook].flatMap(([webhook, own]) =>
    [...Map.groupBy(own.map(deliveryOf), togetherBy).values()].flatMap((together) =>
      chunksOf(together, WOKEN_TOGETHER).map((chunk) => ({ webhook, rows: wokenTogether(chunk) })),
    ),
  );
  return {
    writes: groups.flatMap(({ rows }) => rows.map((row) => insertRow(queuedDeliveryRows, row))),
    wakeUps: groups.filter(({ rows }) => rows[0]?.state === 'pending').map(firstWakeUpOf),
  };
}

function togetherBy({ state, at }: QueuedDelivery): string {
  return state === 'pending' ? `pending ${at}` : state;
}

function wokenTogether(rows: readonly QueuedDelivery[]): QueuedDelivery[] {
  const wake = rows[0] ? wakeOf(rows[0]) : '';
  return rows.map((row) => ({ ...row, wake }));
}

/** A worker that hears what is published sends without reading; any other reads the rows (ADR 0073). */
function firstWakeUpOf(group: { webhook: Subscriber; rows: readonly QueuedDelivery[] }): PlannedWakeUp {
  const { webhook, rows } = group;
  const isNow = rows.every(({ at, created_at }) => at <= created_at.getTime());
  const planned = wakeUpOf(rows[0]?.wake ?? '', rows, isNow);
  if (!isNow) return planned;
  const publish = publicationOf(rows, webhook.revision);
  return publish === undefined ? planned : { ...planned, publish };
}

function deliveryOf({ event, webhook }: Pair): QueuedDelivery {
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
    wake: '',
    position,
    attempts: [],
    created_at: event.created_at,
  };
}

function chunksOf<Row>(rows: readonly Row[], size: number): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}
