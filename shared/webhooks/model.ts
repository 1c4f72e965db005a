import { Schema } from 'mongoose';
import type { EventType } from '../contract.ts';

export interface Webhook {
  _id: string;
  org_id: string;
  url: string;
  events: EventType[];
  /** Sealed (`seal.ts`): never in jobs, logs or answers. */
  secret: string;
  /** Stays true while failing (interface 3.2). */
  enabled: boolean;
  status: 'active' | 'failing';
  failing_since: Date | null;
  created_at: Date;
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

/** One event for one webhook: the log. What is still to be done about it stands in `QueuedDelivery`. */
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

export const deliverySchema = new Schema<Delivery>({
  _id: { type: String, required: true },
  event_id: String,
  webhook_id: String,
  org_id: String,
  type: String,
  status: String,
  round: Number,
  next_attempt_at: Date,
  attempts: [attemptSchema],
  created_at: Date,
});
deliverySchema.index({ webhook_id: 1, created_at: 1, _id: 1 });
deliverySchema.index({ created_at: 1 });

/**
 * A delivery that is not finished. A row changes by delete and insert, because an index keeps what an update leaves
 * (docs/stores.md). `(round, attempt)` is the intent: only the outcome of exactly that attempt moves it.
 */
export interface QueuedDelivery {
  /** The delivery's id. */
  _id: string;
  event_id: string;
  webhook_id: string;
  state: 'pending' | 'held';
  /** Pending: when the attempt is due, epoch ms. Held: `position`. */
  at: number;
  round: number;
  attempt: number;
  /**
   * The wake-up (job id) that brings it: what became due together at one webhook shares one, and while a job of that id
   * lives none of them is woken again.
   */
  wake: string;
  /** In the order of the events, also of those in one transaction: created_at in ms * 4096 + index. */
  position: number;
}

export const queuedDeliverySchema = new Schema<QueuedDelivery>({
  _id: { type: String, required: true },
  event_id: String,
  webhook_id: String,
  state: String,
  at: Number,
  round: Number,
  attempt: Number,
  wake: String,
  position: Number,
});
queuedDeliverySchema.index({ state: 1, at: 1 });
queuedDeliverySchema.index({ webhook_id: 1, state: 1, at: 1 });

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
