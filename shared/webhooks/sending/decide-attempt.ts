import type { QueuedDelivery } from '../deliveries/model.ts';
import { isPaused, type Webhook } from '../endpoints/model.ts';

/** The fields of a delivery's row that an attempt needs. */
export const DUE_FIELDS = { event_id: 1, body: 1, state: 1, at: 1, round: 1, attempt: 1, wake: 1 } as const;
export type DueDelivery = Pick<QueuedDelivery, '_id' | keyof typeof DUE_FIELDS>;

export interface LoadedAttempt {
  queued: DueDelivery | undefined;
  webhook: Webhook | undefined;
}

/** The decision about a delivery. Times are epoch ms. */
export type AttemptDecision =
  | { kind: 'nothing' }
  | { kind: 'later'; notBeforeMs: number }
  | { kind: 'drain'; queued: DueDelivery }
  | { kind: 'postpone'; queued: DueDelivery; dueMs: number }
  | { kind: 'send'; queued: DueDelivery; webhook: Webhook };

/** Decides about a delivery that was woken as `wake`. One that has moved on since then has another wake-up. */
export function decideAttempt(
  { queued, webhook }: LoadedAttempt,
  wake: string,
  nowMs: number,
): AttemptDecision {
  if (queued?.state !== 'pending' || queued.wake !== wake) return { kind: 'nothing' };
  // The webhook may have changed again since it was read: the drain reads it in its transaction, and holds or cancels.
  if (!webhook || isPaused(webhook)) return { kind: 'drain', queued };
  if (queued.at > nowMs) return { kind: 'later', notBeforeMs: queued.at };
  return { kind: 'send', queued, webhook };
}

/** Decides about a held delivery in its turn of the drain, which leaves a delivery that is no longer held. */
export function decideDrained({ queued, webhook }: LoadedAttempt): AttemptDecision {
  if (queued?.state !== 'held' || !webhook || isPaused(webhook)) return { kind: 'nothing' };
  return { kind: 'send', queued, webhook };
}
