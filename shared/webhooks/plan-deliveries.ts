import type { ClientSession } from 'mongoose';
import { isoTime } from '../clock.ts';
import type { Context } from '../context.ts';
import type { Event } from '../events/model.ts';
import { derivedId } from '../ids.ts';
import { afterCommit, raw } from '../mongo.ts';
import type { QueueName, WakeUp } from '../queues.ts';
import type { Delivery, QueuedDelivery, Webhook } from './model.ts';

type Subscriber = Pick<Webhook, '_id' | 'events' | 'status'>;

/**
 * Adds one delivery for each webhook that subscribes, in the events' own transaction, and gives these events the bytes
 * that will be sent. The commit wakes the deliveries. Without webhooks it costs one indexed read.
 */
export async function planDeliveries(
  ctx: Context,
  events: readonly Event[],
  transaction: ClientSession,
): Promise<void> {
  const subscribers = new Map<string, Subscriber[]>();
  for (const orgId of new Set(events.map((event) => event.org_id)))
    subscribers.set(orgId, await findSubscribers(ctx, orgId, transaction));
  const planned = events.flatMap((event, index) =>
    (subscribers.get(event.org_id) ?? [])
      .filter((webhook) => webhook.events.includes(event.type))
      .map((webhook) => plan(event, index, webhook)),
  );
  if (planned.length === 0) return;
  const subscribed = new Set(planned.map(({ delivery }) => delivery.event_id));
  for (const event of events) if (subscribed.has(event._id)) event.body = envelopeOf(event);
  const options = { session: transaction, ordered: false };
  await raw(ctx.db.deliveries).insertMany(
    planned.map(({ delivery }) => delivery),
    options,
  );
  await raw(ctx.db.queuedDeliveries).insertMany(
    planned.map(({ queued }) => queued),
    options,
  );
  const due = planned.map(({ queued }) => queued).filter(({ state }) => state === 'pending');
  afterCommit(transaction, () => wakeDeliveries(ctx, due));
}

/** The body of a delivery (interface 2.4), serialized once. */
export function envelopeOf({ _id, type, org_id, ts, data }: Omit<Event, 'created_at' | 'body'>): string {
  return JSON.stringify({ id: _id, type, org_id, ts: isoTime(ts.getTime()), data });
}

/** One job an attempt: first ones and retries in queues of their own, so that neither waits behind the other. */
export function wakeDeliveries(ctx: Context, queued: readonly QueuedDelivery[]): void {
  const nowMs = ctx.clock.now();
  const wakeUps = (rows: readonly QueuedDelivery[]) => rows.map((row) => wakeUpOf(row, nowMs));
  ctx.queues.wake('deliver-webhook', wakeUps(queued.filter(({ attempt }) => attempt === 1)));
  ctx.queues.wake('retry-webhook', wakeUps(queued.filter(({ attempt }) => attempt > 1)));
}

function wakeUpOf(row: QueuedDelivery, nowMs: number): WakeUp<QueueName & 'deliver-webhook'> {
  const round = row.round === 1 ? '' : `r${row.round}-`;
  return {
    id: `${row._id}-${round}${row.attempt}`,
    job: { delivery_id: row._id, event_id: row.event_id, webhook_id: row.webhook_id },
    delayMs: row.at - nowMs,
  };
}

async function findSubscribers(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
): Promise<Subscriber[]> {
  return raw(ctx.db.webhooks)
    .find({ org_id: orgId }, { session: transaction, projection: { events: 1, status: 1 } })
    .toArray();
}

function plan(
  event: Event,
  index: number,
  webhook: Subscriber,
): { delivery: Delivery; queued: QueuedDelivery } {
  const id = derivedId('dlv', event._id, webhook._id);
  const isHeld = webhook.status === 'failing';
  const atMs = event.created_at.getTime();
  const position = atMs * 4_096 + Math.min(index, 4_095);
  const ids = { event_id: event._id, webhook_id: webhook._id };
  return {
    delivery: {
      _id: id,
      ...ids,
      org_id: event.org_id,
      type: event.type,
      status: isHeld ? 'held' : 'pending',
      round: 1,
      next_attempt_at: isHeld ? null : event.created_at,
      attempts: [],
      created_at: event.created_at,
    },
    queued: {
      _id: id,
      ...ids,
      state: isHeld ? 'held' : 'pending',
      at: isHeld ? position : atMs,
      round: 1,
      attempt: 1,
      position,
    },
  };
}
