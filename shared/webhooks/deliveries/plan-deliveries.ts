import type { Event } from '../../events/model.ts';
import { derivedId } from '../../platform/basics/ids.ts';
import type { Plan } from '../../platform/context/commit-plan.ts';
import { insertRow } from '../../platform/mongo/writes.ts';
import type { PlannedWakeUp } from '../../platform/queues/wake-up.ts';
import type { Subscriber } from '../endpoints/find-subscribers.ts';
import { isPaused } from '../endpoints/model.ts';
import { POSITIONS_PER_MS, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { publicationOf } from './published.ts';
import { wakeOf, wakeUpOf } from './wake-deliveries.ts';

/** Deliveries that one wake-up brings: few enough that several workers share a burst. */
const WOKEN_TOGETHER = 20;

/** An event that somebody subscribes to. */
export type PlannedEvent = Event & { body: string };

type Pair = { event: PlannedEvent; webhook: Subscriber };

/** A plan of deliveries, each held when its webhook is paused. Those of one webhook share wake-ups. Pure. */
export function planDeliveries(pairs: readonly Pair[]): Plan {
  const byWebhook = Map.groupBy(pairs, ({ webhook }) => webhook);
  const groups = [...byWebhook].flatMap(([webhook, own]) =>
    chunksOf(own, WOKEN_TOGETHER).map((chunk) => ({ webhook, rows: wokenTogether(chunk) })),
  );
  return {
    writes: groups.flatMap(({ rows }) => rows.map((row) => insertRow(queuedDeliveryRows, row))),
    wakeUps: groups.filter(({ webhook }) => !isPaused(webhook)).map(firstWakeUpOf),
  };
}

function wokenTogether(pairs: readonly Pair[]): QueuedDelivery[] {
  const rows = pairs.map(deliveryOf);
  const wake = rows[0] ? wakeOf(rows[0]) : '';
  return rows.map((row) => ({ ...row, wake }));
}

/** A worker that hears what is published sends without reading; any other reads the rows (ADR 0073). */
function firstWakeUpOf(group: { webhook: Subscriber; rows: readonly QueuedDelivery[] }): PlannedWakeUp {
  const { webhook, rows } = group;
  const planned = wakeUpOf(rows[0]?.wake ?? '', rows, true);
  const publish = publicationOf(rows, webhook.revision);
  return publish === undefined ? planned : { ...planned, publish };
}

function deliveryOf({ event, webhook }: Pair): QueuedDelivery {
  const isHeld = isPaused(webhook);
  const atMs = event.created_at.getTime();
  const position = atMs * POSITIONS_PER_MS + Math.min(event.index ?? 0, POSITIONS_PER_MS - 1);
  return {
    _id: derivedId('dlv', event._id, webhook._id),
    event_id: event._id,
    webhook_id: webhook._id,
    org_id: event.org_id,
    type: event.type,
    body: event.body,
    state: isHeld ? 'held' : 'pending',
    at: isHeld ? position : atMs,
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
