import { dateAt } from '../../../../platform/basics/clock.ts';
import type { EventType } from '../../../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../../../platform/mongo/collection.ts';
import {
  type Fields,
  kept,
  nullable,
  type ObjectOf,
  object,
  only,
  optional,
} from '../../../../platform/mongo/fields.ts';
import { daysBefore, daysText, keptForDays, retentionRule } from '../../../../platform/mongo/retention.ts';
import type { Event } from '../../record/model.ts';

/** `expired`: held until newer ones had taken all places. `collected`: waits for a digest. `digested`: a digest took it. */
export const DELIVERY_STATUSES = [
  'pending',
  'succeeded',
  'held',
  'exhausted',
  'cancelled',
  'expired',
  'collected',
  'digested',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** `mail`: the mail server refused it. */
export const ATTEMPT_ERRORS = ['dns', 'connect', 'tls', 'timeout', 'http', 'mail', 'blocked'] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

const ATTEMPT = {
  /** 1..5; begins again at 1 when a held or finished delivery is sent again. */
  number: Number,
  at: Date,
  /** The HTTP status, or the code of the mail server; null when there was no answer. */
  status: nullable(Number),
  latency_ms: Number,
  error: nullable(only<AttemptError>(String)),
  /** At most 16 KiB of the answer. */
  answer: nullable(String),
};
export interface Attempt extends ObjectOf<typeof ATTEMPT> {}

/** The fields of a delivery, whether it is finished or not. */
const LOGGED_FIELDS = {
  /** Derived from event and webhook, so that there is one. */
  _id: String,
  event_id: String,
  webhook_id: String,
  org_id: String,
  type: only<EventType>(String),
  /** Each sending from attempt 1 on is a round. */
  round: Number,
  attempts: [object(ATTEMPT)],
  created_at: Date,
  /** A test that somebody has sent: it is never sent again. Absent of every other delivery. */
  test: optional(only<true>(Boolean)),
} satisfies Fields;

export const deliveryRows = collection('deliveries', {
  about: 'A finished delivery of an event to a webhook, with its attempts.',
  fields: {
    ...LOGGED_FIELDS,
    status: only<DeliveryStatus>(String),
    next_attempt_at: nullable(Date),
    /** Null while it is not finished. The log keeps a delivery for some days from then on. */
    finished_at: nullable(Date),
  },
  shardKey: { webhook_id: 1, _id: 1 },
  indexes: [
    { key: { webhook_id: 1, created_at: 1, _id: 1 } },
    { key: { webhook_id: 1, status: 1, created_at: 1, _id: 1 } },
    { key: { finished_at: 1 } },
  ],
});

/** One event for one webhook, as the log shows it. `deliveries` keeps the finished ones as they are. */
export interface Delivery extends RowOf<typeof deliveryRows> {}

const POSITIONS_PER_MS = 4_096;

/** The place of an event's deliveries in the order of the events, also of those in one transaction. */
export function positionOf({ created_at, index }: Pick<Event, 'created_at' | 'index'>): number {
  return created_at.getTime() * POSITIONS_PER_MS + Math.min(index, POSITIONS_PER_MS - 1);
}

export const queuedDeliveryRows = collection('queued_deliveries', {
  about: 'A delivery that is not finished yet.',
  fields: {
    ...LOGGED_FIELDS,
    /** The event's: what is sent, byte for byte. */
    body: kept(String, 'it is what the webhook is sent; deleted with the delivery'),
    /** The event's, if the webhook is a channel. */
    words: optional(kept(String, 'it is what the channel is sent; deleted with the delivery')),
    state: only<'pending' | 'held' | 'collected'>(String),
    /** Pending: when the attempt is due, collected: when the digest is, epoch ms. Held: `position`. */
    at: Number,
    attempt: Number,
    /**
     * The wake-up (job id) that brings it: what became due together at one webhook shares one, and while a job of that id
     * lives none of them is woken again.
     */
    wake: String,
    position: Number,
  },
  shardKey: { webhook_id: 1, _id: 1 },
  indexes: [
    { key: { state: 1, at: 1 } },
    { key: { webhook_id: 1, state: 1, at: 1 } },
    { key: { webhook_id: 1, created_at: 1, _id: 1 } },
  ],
});

/**
 * A delivery that is not finished, with all that an attempt needs of it. It moves to `deliveries` when it is finished.
 * `(round, attempt)` is the intent: only the outcome of exactly that attempt changes the row.
 */
export interface QueuedDelivery extends RowOf<typeof queuedDeliveryRows> {}

export function logOfQueued(queued: QueuedDelivery): Delivery {
  const next_attempt_at = queued.state === 'held' ? null : dateAt(queued.at);
  return { ...loggedPart(queued), status: queued.state, next_attempt_at, finished_at: null };
}

/** A delivery that is finished at `nowMs`, as the log keeps it. */
export function finished(queued: QueuedDelivery, status: DeliveryStatus, nowMs: number): Delivery {
  return { ...loggedPart(queued), status, next_attempt_at: null, finished_at: dateAt(nowMs) };
}

function loggedPart(queued: QueuedDelivery): Omit<Delivery, 'status' | 'next_attempt_at' | 'finished_at'> {
  const { _id, event_id, webhook_id, org_id, type, round, attempts, created_at } = queued;
  return { _id, event_id, webhook_id, org_id, type, round, attempts, created_at };
}

export const deliveryRetention = keptForDays('deliveries', deliveryRows, 'finished_at', 'eventRetentionDays');

/** Deliveries that nobody could attempt, by when they were due. Held ones stay until their webhook is enabled or deleted. */
export const pendingDeliveryRetention = retentionRule('pending_deliveries', queuedDeliveryRows, {
  kept: `${daysText('eventRetentionDays')} after it was due; a held one until its webhook is enabled or deleted`,
  old: (config, nowMs) => ({
    filter: {
      state: 'pending' as const,
      at: { $lt: daysBefore(nowMs, config.eventRetentionDays).getTime() },
    },
    ageField: 'at',
  }),
});
