import type { ClientSession } from 'mongoose';
import { isoTime } from '../clock.ts';
import type { Context } from '../context.ts';
import type { Event } from '../events/model.ts';
import { derivedId } from '../ids.ts';
import { afterCommit, raw } from '../mongo.ts';
import type { QueueName, WakeUp } from '../queues.ts';
import { announce } from './announcements.ts';
import { holdsDeliveries, POSITIONS_PER_MS, type QueuedDelivery, type Webhook } from './model.ts';
import { WOKEN_EARLY_MS } from './schedule.ts';

/** Deliveries that one wake-up brings: few enough that several workers share a burst. */
const WOKEN_TOGETHER = 20;

/** What a wake-up needs of a row, for those who read many. */
export type Wakeable = Pick<QueuedDelivery, '_id' | 'webhook_id' | 'at' | 'attempt' | 'wake'>;
export const WAKEABLE = { webhook_id: 1, at: 1, attempt: 1, wake: 1 } as const;

type Subscriber = Pick<Webhook, '_id' | 'events' | 'status' | 'enabled' | 'revision'>;

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
  const planned = events.flatMap((event, index) => {
    const webhooks = subscribers.get(event.org_id)?.filter(({ events: types }) => types.includes(event.type));
    if (!webhooks?.length) return [];
    event.body = envelopeOf(event);
    return webhooks.map((webhook) => plan({ ...event, body: event.body ?? '' }, index, webhook));
  });
  if (planned.length === 0) return;
  joinWakeUps(planned);
  await raw(ctx.db.queuedDeliveries).insertMany(planned, { session: transaction, ordered: false });
  const due = planned.filter(({ state }) => state === 'pending');
  afterCommit(transaction, () => {
    announce(ctx, due);
    wakeDeliveries(ctx, due, { announced: true });
  });
}

/** The body of a delivery (interface 2.4), serialized once. */
export function envelopeOf({ _id, type, org_id, ts, data }: Omit<Event, 'created_at' | 'body'>): string {
  return JSON.stringify({ id: _id, type, org_id, ts: isoTime(ts.getTime()), data });
}

/** One job a wake-up: first attempts and retries in queues of their own, so that neither waits behind the other. */
export function wakeDeliveries(
  ctx: Context,
  queued: readonly Wakeable[],
  { announced } = { announced: false },
): void {
  const nowMs = ctx.clock.now();
  const wakeUps = (rows: readonly Wakeable[]) =>
    [...Map.groupBy(rows, ({ wake }) => wake)].map(([wake, together]) =>
      wakeUpOf(wake, together, nowMs, announced),
    );
  ctx.queues.wake('deliver-webhook', wakeUps(queued.filter(({ attempt }) => attempt === 1)));
  ctx.queues.wake('retry-webhook', wakeUps(queued.filter(({ attempt }) => attempt > 1)));
}

/** The wake-up of an attempt that nothing else became due with. */
export function wakeOf({ _id, round, attempt }: Pick<QueuedDelivery, '_id' | 'round' | 'attempt'>): string {
  return `${_id}-${round === 1 ? '' : `r${round}-`}${attempt}`;
}

/** What a delivery becomes that is sent again from its first attempt. */
export function nextRoundOf({
  _id,
  round,
}: Pick<QueuedDelivery, '_id' | 'round'>): Pick<QueuedDelivery, 'round' | 'attempt' | 'wake'> {
  const next = { round: round + 1, attempt: 1 };
  return { ...next, wake: wakeOf({ _id, ...next }) };
}

function wakeUpOf(
  id: string,
  rows: readonly Wakeable[],
  nowMs: number,
  announced: boolean,
): WakeUp<QueueName & 'deliver-webhook'> {
  return {
    id,
    job: { webhook_id: rows[0]?.webhook_id ?? '', delivery_ids: rows.map(({ _id }) => _id), announced },
    delayMs: Math.min(...rows.map(({ at }) => at)) - WOKEN_EARLY_MS - nowMs,
  };
}

/** Gives rows of one transaction their wake-ups: each webhook's together, some at a time. */
function joinWakeUps(queued: readonly QueuedDelivery[]): void {
  for (const rows of Map.groupBy(queued, ({ webhook_id }) => webhook_id).values())
    rows.forEach((row, index) => {
      row.wake = wakeOf(rows[index - (index % WOKEN_TOGETHER)] ?? row);
    });
}

async function findSubscribers(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
): Promise<Subscriber[]> {
  return raw(ctx.db.webhooks)
    .find(
      { org_id: orgId },
      { session: transaction, projection: { events: 1, status: 1, enabled: 1, revision: 1 } },
    )
    .toArray();
}

function plan(event: Event & { body: string }, index: number, webhook: Subscriber): QueuedDelivery {
  const isHeld = holdsDeliveries(webhook);
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
    ...(webhook.revision === undefined ? {} : { webhook_revision: webhook.revision }),
    created_at: event.created_at,
  };
}
