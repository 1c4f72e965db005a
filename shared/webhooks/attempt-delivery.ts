import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, dateAt } from '../clock.ts';
import type { Context } from '../context.ts';
import { WEBHOOK_ANSWER_BYTES, WEBHOOK_TIMEOUT_MS } from '../contract.ts';
import type { JobOf } from '../queues.ts';
import { type Slot, takeSlot, takeSlots } from './endpoints.ts';
import { type DueIds, decide, type LoadedAttempt, loadAttempt, type Verdict } from './load-attempt.ts';
import type { Attempt } from './model.ts';
import { type Answered, post } from './post.ts';
import { recordOutcome } from './record-outcome.ts';
import { WOKEN_EARLY_MS } from './schedule.ts';
import { secretsOf } from './secrets.ts';
import { signedHeaders } from './sign.ts';

/** What became of a wake-up: `left` says that the endpoint's list was full and the store keeps it. */
export interface AttemptVerdict {
  kind: Verdict['kind'] | 'left';
  notBeforeMs?: number;
}

/**
 * The attempt that a delivery is due for: takes a slot of its endpoint, reads what it needs, sends, records. Running it
 * twice, or late, sends at most what is due then. Times are epoch ms.
 */
export async function attemptDelivery(ctx: Context, due: DueIds): Promise<AttemptVerdict> {
  return attemptWith(ctx, due, await takeSlot(ctx, due.webhookId));
}

/** The same for deliveries that one wake-up brings. Rejects when one of them could not be attempted, after all others. */
export async function attemptDeliveries(
  ctx: Context,
  { webhook_id: webhookId, delivery_ids, announced }: JobOf<'deliver-webhook'>,
): Promise<AttemptVerdict[]> {
  const slots = takeSlots(ctx, webhookId, delivery_ids.length);
  const settled = await Promise.allSettled(
    delivery_ids.map(async (deliveryId, index) =>
      attemptWith(ctx, { deliveryId, webhookId, announced }, (await slots[index]) ?? null),
    ),
  );
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

async function attemptWith(ctx: Context, due: DueIds, slot: Slot | null): Promise<AttemptVerdict> {
  if (!slot) return { kind: 'left' };
  try {
    const { verdict, sent } = await attempt(ctx, due, slot);
    await record(ctx, verdict, sent);
    return verdict.kind === 'later' ? verdict : { kind: verdict.kind };
  } finally {
    slot.settle();
  }
}

async function attempt(
  ctx: Context,
  due: DueIds,
  slot: Slot,
): Promise<{ verdict: Verdict; sent: Sent | null }> {
  let sent: Sent | null = null;
  try {
    const loaded = await loadAttempt(ctx, due);
    const verdict = due.isDueNow
      ? decide(loaded, Number.POSITIVE_INFINITY)
      : await decideInTime(ctx.clock, loaded);
    if (verdict.kind === 'send') sent = await send(ctx, slot, verdict);
    return { verdict, sent };
  } finally {
    // Recording happens without it: the next request may begin.
    slot.release(sent === null || sent.result.status !== null);
  }
}

/** What was woken early waits here for its time, what came much too early in its queue. */
async function decideInTime(clock: Clock, loaded: LoadedAttempt): Promise<Verdict> {
  const verdict = decide(loaded, clock.now());
  if (verdict.kind !== 'later') return verdict;
  const waitMs = verdict.notBeforeMs - clock.now();
  if (waitMs > WOKEN_EARLY_MS) return { kind: 'later', notBeforeMs: verdict.notBeforeMs - WOKEN_EARLY_MS };
  // A timer may end a part of a millisecond before the clock shows it.
  await wait(waitMs + 1);
  return decide(loaded, clock.now());
}

async function record(ctx: Context, verdict: Verdict, sent: Sent | null): Promise<void> {
  if (verdict.kind === 'nothing' || verdict.kind === 'later') return;
  const { _id: deliveryId, round, attempt } = verdict.queued;
  const intent = { deliveryId, round, attempt };
  if (verdict.kind !== 'send') await recordOutcome(ctx, { ...intent, kind: verdict.kind });
  else if (sent) await recordOutcome(ctx, { ...intent, kind: 'attempted', ...sent });
}

interface Sent {
  result: Attempt;
  endedAtMs: number;
}

async function send(
  ctx: Context,
  slot: Slot,
  { queued, webhook }: Verdict & { kind: 'send' },
): Promise<Sent> {
  const atMs = ctx.clock.now();
  const url = new URL(webhook.url);
  const secrets = secretsOf(ctx, webhook);
  const { attempt, event_id: eventId, body } = queued;
  measureLateness(ctx, attempt, atMs, queued.at);
  const answered = await post(slot.connectTo(url), {
    path: url.pathname + url.search,
    headers: signedHeaders(secrets, { eventId, body, attempt, atMs }),
    body,
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
