import { Schema } from 'mongoose';
import { dateAt } from '../clock.ts';
import type { EventType } from '../contract.ts';

export interface Webhook {
  _id: string;
  org_id: string;
  url: string;
  events: EventType[];
  /** Sealed (`seal.ts`): never in jobs, logs or answers. */
  secret: string;
  /** Sealed too: the secret before, which signs beside it until then. */
  old_secret?: string;
  old_secret_until?: Date;
  /** Stays true while failing (interface 3.2). False: an admin has paused it. */
  enabled: boolean;
  status: 'active' | 'failing';
  failing_since: Date | null;
  /** Rises with every change, so that a process which remembers the webhook notices; absent before the first. */
  revision?: number;
  created_at: Date;
}

/** Whether a webhook keeps what it should deliver: while it is failing, or paused. */
export function holdsDeliveries({ status, enabled }: Pick<Webhook, 'status' | 'enabled'>): boolean {
  return status === 'failing' || !enabled;
}

export const webhookSchema = new Schema<Webhook>({
  _id: { type: String, required: true },
  org_id: { type: String, required: true },
  url: { type: String, required: true },
  events: { type: [String], required: true },
  secret: { type: String, required: true },
  enabled: { type: Boolean, required: true },
  status: { type: String, required: true },
  failing_since: { type: Date, default: null },
  old_secret: { type: String, required: false },
  old_secret_until: { type: Date, required: false },
  revision: { type: Number, required: false },
  created_at: { type: Date, required: true },
});
webhookSchema.index({ org_id: 1, created_at: 1 });
webhookSchema.index({ status: 1 });

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'held', 'exhausted', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const ATTEMPT_ERRORS = ['dns', 'connect', 'tls', 'timeout', 'http', 'blocked'] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

export interface Attempt {
  /** 1..5; begins again at 1 when a held or finished delivery is sent again. */
  number: number;
  at: Date;
  /** Of the answer; null when there was none. */
  status: number | null;
  latency_ms: number;
  error: AttemptError | null;
  /** At most 16 KiB of the answer. */
  answer: string | null;
}

/** One event for one webhook, as the log shows it. What is finished stands in `deliveries` as it is. */
export interface Delivery {
  /** Derived from event and webhook, so that there is one. */
  _id: string;
  event_id: string;
  webhook_id: string;
  org_id: string;
  type: EventType;
  status: DeliveryStatus;
  /** Each sending from attempt 1 on is a round. */
  round: number;
  next_attempt_at: Date | null;
  attempts: Attempt[];
  created_at: Date;
}

const attemptSchema = new Schema<Attempt>(
  { number: Number, at: Date, status: Number, latency_ms: Number, error: String, answer: String },
  { _id: false },
);

const logged = {
  _id: { type: String, required: true },
  event_id: String,
  webhook_id: String,
  org_id: String,
  type: String,
  round: Number,
  attempts: [attemptSchema],
  created_at: Date,
} as const;

export const deliverySchema = new Schema<Delivery>({ ...logged, status: String, next_attempt_at: Date });
deliverySchema.index({ webhook_id: 1, created_at: 1, _id: 1 });
// What the log is narrowed to.
deliverySchema.index({ webhook_id: 1, status: 1, created_at: 1, _id: 1 });
deliverySchema.index({ webhook_id: 1, type: 1, created_at: 1, _id: 1 });
deliverySchema.index({ created_at: 1 });

export const POSITIONS_PER_MS = 4_096;

/**
 * A delivery that is not finished, with all that an attempt needs of it. A row changes by delete and insert, because an
 * index keeps what an update leaves (docs/stores.md), and moves to `deliveries` when it is finished. `(round, attempt)`
 * is the intent: only the outcome of exactly that attempt moves it.
 */
export interface QueuedDelivery extends Omit<Delivery, 'status' | 'next_attempt_at'> {
  /** The event's: what is sent, byte for byte. */
  body: string;
  state: 'pending' | 'held';
  /** Pending: when the attempt is due, epoch ms. Held: `position`. */
  at: number;
  attempt: number;
  /**
   * The wake-up (job id) that brings it: what became due together at one webhook shares one, and while a job of that id
   * lives none of them is woken again.
   */
  wake: string;
  /** The webhook's, as its transaction saw it; absent before the webhook's first change. */
  webhook_revision?: number;
  /** In the order of the events, also of those in one transaction: created_at in ms * POSITIONS_PER_MS + index. */
  position: number;
}

export const queuedDeliverySchema = new Schema<QueuedDelivery>({
  ...logged,
  body: String,
  state: String,
  at: Number,
  attempt: Number,
  wake: String,
  position: Number,
  webhook_revision: Number,
});
queuedDeliverySchema.index({ state: 1, at: 1 });
queuedDeliverySchema.index({ webhook_id: 1, state: 1, at: 1 });
queuedDeliverySchema.index({ webhook_id: 1, created_at: 1, _id: 1 });

/** What the log shows of a delivery that is not finished. */
export function viewOfQueued(queued: QueuedDelivery): Delivery {
  const isPending = queued.state === 'pending';
  return { ...logOf(queued), status: queued.state, next_attempt_at: isPending ? dateAt(queued.at) : null };
}

/** A delivery that is finished, or was cancelled. */
export function finished(queued: QueuedDelivery, status: DeliveryStatus): Delivery {
  return { ...logOf(queued), status, next_attempt_at: null };
}

function logOf(queued: QueuedDelivery): Omit<Delivery, 'status' | 'next_attempt_at'> {
  const { _id, event_id, webhook_id, org_id, type, round, attempts, created_at } = queued;
  return { _id, event_id, webhook_id, org_id, type, round, attempts, created_at };
}

/** What is to be done about a webhook itself; the row goes when it is done. */
export interface WebhookTask {
  /** Kind and webhook. */
  _id: string;
  kind: 'hold-webhook' | 'drain-webhook' | 'alert-admin';
  webhook_id: string;
  due_at: Date;
  /** Drain: until then a transaction that began while the webhook was failing may still hold something. */
  until: Date;
}

export const webhookTaskSchema = new Schema<WebhookTask>({
  _id: { type: String, required: true },
  kind: String,
  webhook_id: String,
  due_at: Date,
  until: Date,
});
webhookTaskSchema.index({ due_at: 1 });
