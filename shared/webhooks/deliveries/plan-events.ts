import { type Event, eventRows } from '../../events/model.ts';
import { eventOf, type NewEvent } from '../../events/new-event.ts';
import { derivedId } from '../../platform/basics/ids.ts';
import { insertRow, type Write } from '../../platform/mongo/writes.ts';
import type { PlannedWakeUp } from '../../platform/queues/wake-ups.ts';
import type { Subscriber } from '../endpoints/find-subscribers.ts';
import { envelopeOf } from './envelope.ts';
import { POSITIONS_PER_MS, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { publicationOf } from './published.ts';
import { wakeOf, wakeUpOf } from './wake-deliveries.ts';

/** Deliveries that one wake-up brings: few enough that several workers share a burst. */
const WOKEN_TOGETHER = 20;

/** What raising events writes, and what is woken once that has committed. */
export interface EventPlan {
  events: Event[];
  writes: Write[];
  wakeUps: PlannedWakeUp[];
}

/**
 * Plans events of one organization with one delivery per event and webhook that subscribes, for the transaction of the
 * change that raises them. `subscribers` are all webhooks of the organization, as that transaction sees them. An event
 * that somebody subscribes to keeps the bytes that will be sent. Pure.
 */
export function planEvents(
  events: readonly NewEvent[],
  subscribers: readonly Subscriber[],
  nowMs: number,
): EventPlan {
  const rows = events.map((event) => eventOf(event, nowMs));
  const planned = rows.flatMap((event, index) => {
    const webhooks = subscribers.filter((webhook) => webhook.events.includes(event.type));
    if (webhooks.length === 0) return [];
    const body = envelopeOf(event);
    event.body = body;
    return webhooks.map((webhook) => deliveryOf({ ...event, body }, index, webhook));
  });
  const wakeUps = joinWakeUps(planned);
  return {
    events: rows,
    writes: [
      ...rows.map((row) => insertRow(eventRows, row)),
      ...planned.map((row) => insertRow(queuedDeliveryRows, row)),
    ],
    wakeUps,
  };
}

/** Gives each webhook's rows their wake-ups, some rows together, and returns those of the rows that are due. */
function joinWakeUps(planned: readonly QueuedDelivery[]): PlannedWakeUp[] {
  return [...Map.groupBy(planned, ({ webhook_id }) => webhook_id).values()].flatMap((rows) => {
    const groups = chunksOf(rows, WOKEN_TOGETHER);
    for (const group of groups) for (const row of group) row.wake = wakeOf(group[0] ?? row);
    return groups.filter(([first]) => first?.state === 'pending').map(firstWakeUpOf);
  });
}

function chunksOf<Row>(rows: readonly Row[], size: number): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}

/** A worker that hears what is published sends without reading; any other reads the rows (ADR 0073). */
function firstWakeUpOf(rows: readonly QueuedDelivery[]): PlannedWakeUp {
  const wakeUp = wakeUpOf(rows[0]?.wake ?? '', rows, true);
  const publish = publicationOf(rows);
  return publish === undefined ? wakeUp : { ...wakeUp, publish };
}

function deliveryOf(event: Event & { body: string }, index: number, webhook: Subscriber): QueuedDelivery {
  const isHeld = webhook.status === 'failing';
  const atMs = event.created_at.getTime();
  const position = atMs * POSITIONS_PER_MS + Math.min(index, POSITIONS_PER_MS - 1);
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
