import { dateAt } from '../clock.ts';
import type { Context } from '../context.ts';
import { WEBHOOK_ANSWER_BYTES, WEBHOOK_TIMEOUT_MS } from '../contract.ts';
import { isLeft, type Slot, takeSlot } from './endpoints.ts';
import { type DeliveryIds, decide, loadAttempt, type Verdict } from './load-attempt.ts';
import type { Attempt, QueuedDelivery } from './model.ts';
import { type Answered, post } from './post.ts';
import { recordOutcome } from './record-outcome.ts';
import { openSecret } from './seal.ts';
import { signedHeaders } from './sign.ts';

/** What became of a wake-up: `left` says that the endpoint's list was full and the store keeps it. */
export interface AttemptVerdict {
  kind: Verdict['kind'] | 'left';
  notBeforeMs?: number;
}

/** After a longer wait for a slot, what was read before is read again. */
const FRESH_MS = 1_000;

/**
 * The attempt that a delivery is due for: reads what it needs, takes a slot of its endpoint, sends, records. Running it
 * twice, or late, sends at most what is due then. Times are epoch ms.
 */
export async function attemptDelivery(
  ctx: Context,
  ids: DeliveryIds,
  options: { isDueNow?: boolean } = {},
): Promise<AttemptVerdict> {
  if (isLeft(ctx, ids.webhook_id)) return { kind: 'left' };
  const look = async () =>
    decide(await loadAttempt(ctx, ids), options.isDueNow ? Number.POSITIVE_INFINITY : ctx.clock.now());
  const first = await look();
  if (first.kind !== 'send') return settle(ctx, first);
  const waitsMs = performance.now();
  const slot = await takeSlot(ctx, ids.webhook_id, first.queued.at);
  if (!slot) return { kind: 'left' };
  let sent: Sent | null = null;
  let intent = intentOf(first.queued);
  try {
    const verdict = performance.now() - waitsMs > FRESH_MS ? await look() : first;
    if (verdict.kind !== 'send') return await settle(ctx, verdict);
    intent = intentOf(verdict.queued);
    sent = await send(ctx, slot, verdict);
  } finally {
    // The slot is the endpoint's: recording happens without it.
    slot.release(sent === null || sent.result.status !== null);
  }
  await recordOutcome(ctx, { ...intent, kind: 'attempted', ...sent });
  return { kind: 'send' };
}

async function settle(ctx: Context, verdict: Exclude<Verdict, { kind: 'send' }>): Promise<AttemptVerdict> {
  if (verdict.kind === 'later') return verdict;
  if (verdict.kind !== 'nothing')
    await recordOutcome(ctx, { ...intentOf(verdict.queued), kind: verdict.kind });
  return { kind: verdict.kind };
}

function intentOf({ _id, round, attempt }: QueuedDelivery) {
  return { deliveryId: _id, round, attempt };
}

interface Sent {
  result: Attempt;
  endedAtMs: number;
}

async function send(
  ctx: Context,
  slot: Slot,
  { queued, webhook, event }: Verdict & { kind: 'send' },
): Promise<Sent> {
  const atMs = ctx.clock.now();
  const url = new URL(webhook.url);
  const secret = openSecret(ctx.config, webhook._id, webhook.secret);
  const { attempt } = queued;
  measureLateness(ctx, attempt, atMs, attempt === 1 ? event.created_at.getTime() : queued.at);
  const answered = await post(slot.connectTo(url), {
    path: url.pathname + url.search,
    headers: signedHeaders(secret, { eventId: event._id, body: event.body, attempt, atMs }),
    body: event.body,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    answerBytes: WEBHOOK_ANSWER_BYTES,
  });
  const outcome = answered.error === null ? 'succeeded' : 'failed';
  ctx.metrics.webhookAttempts.inc({ outcome, error: answered.error ?? 'none' });
  return { result: attemptOf(attempt, atMs, answered), endedAtMs: ctx.clock.now() };
}

function attemptOf(number: number, atMs: number, { status, latencyMs, error, answer }: Answered): Attempt {
  return { number, at: dateAt(atMs), status, latency_ms: latencyMs, error, answer };
}

function measureLateness(ctx: Context, attempt: number, atMs: number, dueMs: number): void {
  const { webhookFirstAttemptSeconds, webhookRetryLatenessSeconds } = ctx.metrics;
  const histogram = attempt === 1 ? webhookFirstAttemptSeconds : webhookRetryLatenessSeconds;
  histogram.observe(Math.max(0, atMs - dueMs) / 1_000);
}
