import { dateAt } from '../../../../platform/basics/clock.ts';
import { WEBHOOK_ANSWER_BYTES, WEBHOOK_TIMEOUT_MS } from '../../../../platform/basics/contract.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { Attempt } from '../deliveries/model.ts';
import { signingSecrets } from '../endpoints/encrypt-secret.ts';
import type { Webhook } from '../endpoints/model.ts';
import { targetOf } from '../endpoints/target.ts';
import { render } from '../messages/render.ts';
import type { AttemptDecision } from './decide-attempt.ts';
import type { Permit } from './endpoint.ts';
import { attemptMail, type MessageOfEvent } from './mail-attempt.ts';
import { firstAttemptSeconds, retryLatenessSeconds, webhookAttempts } from './metrics.ts';
import { type Answered, post } from './post.ts';
import { signedHeaders } from './sign.ts';

/** An attempt as the log keeps it, and when it ended (epoch ms): the next wait counts from there. */
export interface SentAttempt {
  result: Attempt;
  endedAtMs: number;
}

/** Sends one attempt in the webhook's format. Throws only when its secret or its URL cannot be decrypted. */
export async function sendAttempt(
  ctx: Context,
  permit: Permit,
  { queued, webhook }: AttemptDecision & { kind: 'send' },
): Promise<SentAttempt> {
  const atMs = ctx.clock.now();
  const { attempt, event_id: eventId, body: envelope, words, state, at: dueMs } = queued;
  // A held delivery begins again.
  const number = state === 'held' ? 1 : attempt;
  if (state === 'pending') measureLateness(ctx, number, dueMs);
  const answered = await sendMessage(ctx, permit, webhook, {
    eventId,
    envelope,
    words,
    attempt: number,
    atMs,
  });
  const { status, latencyMs, error, answer } = answered;
  webhookAttempts(ctx).inc({ outcome: error === null ? 'succeeded' : 'failed', error: error ?? 'none' });
  const result = { number, at: dateAt(atMs), status, latency_ms: latencyMs, error, answer };
  return { result, endedAtMs: ctx.clock.now() };
}

/** Sends an envelope as the webhook's format has it, once. Throws as `sendAttempt`. */
export async function sendMessage(
  ctx: Context,
  permit: Permit,
  webhook: Webhook,
  message: MessageOfEvent & { attempt: number; atMs: number },
): Promise<Answered> {
  if (webhook.format === 'email') return attemptMail(ctx, webhook, message);
  const { eventId, envelope, words, attempt, atMs } = message;
  const url = targetOf(ctx.config, webhook);
  const { headers, body } = render(webhook.format, envelope, words);
  const secrets = signingSecrets(ctx.config, webhook, atMs);
  return post(permit.connectTo(url), {
    path: url.pathname + url.search,
    headers: { ...signedHeaders(secrets, { eventId, body, attempt, atMs }), ...headers },
    body,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    answerBytes: WEBHOOK_ANSWER_BYTES,
  });
}

/** Measures how late an attempt begins that was due at `dueMs` (epoch ms). */
function measureLateness(ctx: Context, attempt: number, dueMs: number): void {
  const lateness = attempt === 1 ? firstAttemptSeconds : retryLatenessSeconds;
  lateness(ctx).observe(Math.max(0, ctx.clock.now() - dueMs) / 1_000);
}
