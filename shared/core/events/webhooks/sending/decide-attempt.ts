import { derivedId } from '../../../../platform/basics/ids.ts';
import { eventIdOf } from '../../record/new-event.ts';
import type { QueuedDelivery } from '../deliveries/model.ts';
import { isPaused, type Webhook } from '../endpoints/model.ts';

/** The fields of a delivery's row that an attempt needs. */
export const DUE_FIELDS = {
  event_id: 1,
  body: 1,
  words: 1,
  state: 1,
  at: 1,
  round: 1,
  attempt: 1,
  wake: 1,
} as const;
export type DueDelivery = Pick<QueuedDelivery, '_id' | Exclude<keyof typeof DUE_FIELDS, 'words'>> & {
  words?: string | undefined;
};

export interface LoadedAttempt {
  queued: DueDelivery | undefined;
  webhook: Webhook | undefined;
  /** True of a delivery that is finished, where that was asked for. */
  isFinished?: boolean;
}

/** The decision about a delivery. Times are epoch ms. */
export type AttemptDecision =
  | { kind: 'nothing' }
  | { kind: 'later'; notBeforeMs: number }
  | { kind: 'drain'; queued: DueDelivery }
  | { kind: 'postpone'; queued: DueDelivery; dueMs: number }
  | { kind: 'follow'; queued: DueDelivery; dueMs: number }
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

/** How soon the end of a session is tried again while the request about its start is under way, is held, or is not planned yet. */
const FOLLOWS_MS = { pending: 100, held: 1_000, collected: 0, unplanned: 1_000 };

/** The head of an envelope: most bodies are of another kind, and may be long. */
const ENDED = /^\{"id":"[^"]*","type":"session\.ended"/;

/**
 * The ids of a session's start and of its delivery to the same webhook, which that of its end waits for, so that a receiver that
 * keeps the last event has the right one; null for any other event. See planSessionChanges for the cause of both.
 */
export function startOf(
  { body }: Pick<DueDelivery, 'body'>,
  webhookId: string,
): { eventId: string; deliveryId: string } | null {
  if (!ENDED.test(body)) return null;
  const { data } = JSON.parse(body) as { data: { id: string } };
  const eventId = eventIdOf({ type: 'session.started', cause: [data.id] });
  return { eventId, deliveryId: derivedId('dlv', eventId, webhookId) };
}

/** When the delivery of a session's end may be tried again (epoch ms); null when that of its start is finished. */
export function dueAfterStart(
  start: DueDelivery | undefined,
  isUnplanned: boolean,
  nowMs: number,
): number | null {
  if (!start && isUnplanned) return nowMs + FOLLOWS_MS.unplanned;
  if (!start || start.state === 'collected') return null;
  const dueMs = start.state === 'pending' ? Math.max(start.at, nowMs) : nowMs;
  return dueMs + FOLLOWS_MS[start.state];
}

/** Decides about a held delivery in its turn of the drain, which leaves a delivery that is no longer held. */
export function decideDrained({ queued, webhook }: LoadedAttempt): AttemptDecision {
  if (queued?.state !== 'held' || !webhook || isPaused(webhook)) return { kind: 'nothing' };
  return { kind: 'send', queued, webhook };
}
