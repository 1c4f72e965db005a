import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../platform/basics/clock.ts';
import type { WebhookFormat } from '../../platform/basics/contract.ts';
import { isStoreError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import type { JobData } from '../../platform/queues/job.ts';
import type { deliverWebhookJob } from '../deliveries/jobs.ts';
import { recordOutcome } from '../deliveries/record-outcome.ts';
import { WOKEN_EARLY_MS } from '../deliveries/schedule.ts';
import { takeMailPermit } from '../endpoints/mail-permits.ts';
import { mailAddressOf } from '../endpoints/mail-target.ts';
import { brokenWebhooks } from './broken.ts';
import { type AttemptDecision, decideAttempt, decideDrained, type LoadedAttempt } from './decide-attempt.ts';
import { type DueIds, loadAttempt } from './load-attempt.ts';
import { type Permit, takePermit, takePermits } from './permits.ts';
import { measureLateness, type SentAttempt, sendAttempt } from './send-attempt.ts';

/**
 * How long a permit rests after a message. Four of them, which an endpoint keeps then, are one message per second for Slack
 * (https://docs.slack.dev/apis/web-api/rate-limits) and one per two seconds for a channel of Discord. Milliseconds.
 */
const REST_MS: Partial<Record<WebhookFormat, number>> = { slack: 4_000, discord: 8_000 };

/** What became of a wake-up. `deferred`: the endpoint's list was full, and the store keeps the delivery. */
type AttemptOutcome = AttemptDecision | { kind: 'deferred' };

type Decide = (loaded: LoadedAttempt) => Promise<AttemptDecision>;

/**
 * Makes the attempts that one wake-up brings: each takes a permit of the endpoint, reads what it needs, sends, records.
 * Running it twice, or late, sends at most what is due then and has not moved on. Rejects when one of them could not be
 * attempted, after all others. Times are epoch ms.
 */
export async function attemptDeliveries(
  ctx: Context,
  { webhook_id: webhookId, delivery_ids, wake, published }: JobData<typeof deliverWebhookJob>,
): Promise<AttemptOutcome[]> {
  const permits = takePermits(ctx, webhookId, delivery_ids.length);
  const finished = await Promise.allSettled(
    delivery_ids.map(async (deliveryId, index) =>
      attemptWith(ctx, { deliveryId, webhookId, published }, (await permits[index]) ?? null, (loaded) =>
        decideInTime(ctx.clock, loaded, wake),
      ),
    ),
  );
  return finished.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

/** Attempts a held delivery whose turn has come. Its row stays held until the outcome is recorded. */
export async function attemptDrained(ctx: Context, due: DueIds): Promise<AttemptOutcome> {
  return attemptWith(ctx, due, await takePermit(ctx, due.webhookId), async (loaded) => decideDrained(loaded));
}

async function attemptWith(
  ctx: Context,
  due: DueIds,
  permit: Permit | null,
  decide: Decide,
): Promise<AttemptOutcome> {
  if (!permit) return { kind: 'deferred' };
  try {
    const { decision, sent } = await attempt(ctx, due, permit, decide);
    await record(ctx, due, decision, sent);
    return decision;
  } catch (error) {
    if (!isStoreError(error)) brokenWebhooks(ctx).set(due.webhookId, true);
    throw error;
  } finally {
    permit.finish();
  }
}

async function attempt(
  ctx: Context,
  due: DueIds,
  permit: Permit,
  decide: Decide,
): Promise<{ decision: AttemptDecision; sent: SentAttempt | null }> {
  let sent: SentAttempt | null = null;
  let restMs = 0;
  try {
    const decision = await postponeMail(ctx, await decide(await loadAttempt(ctx, due)));
    if (decision.kind === 'send') {
      const { state, attempt: number, at } = decision.queued;
      if (state === 'pending') measureLateness(ctx, number, at);
      restMs = (REST_MS[decision.webhook.format] ?? 0) / ctx.config.timeScale;
      sent = await sendAttempt(ctx, permit, decision);
    }
    return { decision, sent };
  } finally {
    // Recording needs no permit: the next request may begin.
    permit.release(sent === null || sent.result.status !== null, restMs);
  }
}

/** A mail beyond those of an hour waits until there is room for one. */
async function postponeMail(ctx: Context, decision: AttemptDecision): Promise<AttemptDecision> {
  if (decision.kind !== 'send' || decision.webhook.format !== 'email') return decision;
  const address = mailAddressOf(ctx.config, decision.webhook);
  const dueMs = await takeMailPermit(ctx, { orgId: decision.webhook.org_id, address });
  return dueMs === null ? decision : { kind: 'postpone', queued: decision.queued, dueMs };
}

/** What was woken early waits here for its time, what came much too early in its queue. */
async function decideInTime(clock: Clock, loaded: LoadedAttempt, wake: string): Promise<AttemptDecision> {
  const decision = decideAttempt(loaded, wake, clock.now());
  if (decision.kind !== 'later') return decision;
  const waitMs = decision.notBeforeMs - clock.now();
  if (waitMs > WOKEN_EARLY_MS) return { kind: 'later', notBeforeMs: decision.notBeforeMs - WOKEN_EARLY_MS };
  // A timer may end a part of a millisecond before the clock shows it.
  await wait(waitMs + 1);
  return decideAttempt(loaded, wake, clock.now());
}

async function record(
  ctx: Context,
  { webhookId }: DueIds,
  decision: AttemptDecision,
  sent: SentAttempt | null,
): Promise<void> {
  if (decision.kind === 'nothing' || decision.kind === 'later') return;
  const { _id: deliveryId, round, attempt: number, state } = decision.queued;
  const intent = { deliveryId, webhookId, round, attempt: number };
  if (decision.kind === 'postpone')
    await recordOutcome(ctx, { ...intent, kind: 'postpone', dueMs: decision.dueMs });
  else if (decision.kind !== 'send') await recordOutcome(ctx, { ...intent, kind: decision.kind });
  else if (sent)
    await recordOutcome(ctx, { ...intent, kind: 'attempted', ...sent, isDrained: state === 'held' });
}
