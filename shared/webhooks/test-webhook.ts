import { dateAt } from '../clock.ts';
import type { Context } from '../context.ts';
import { WEBHOOK_ANSWER_BYTES, WEBHOOK_TIMEOUT_MS } from '../contract.ts';
import { DomainError } from '../errors.ts';
import type { Event } from '../events/model.ts';
import { newId } from '../ids.ts';
import type { SessionView } from '../sessions/view.ts';
import { takeSlot } from './endpoints.ts';
import type { AttemptError, Webhook } from './model.ts';
import { envelopeOf } from './plan-deliveries.ts';
import { post } from './post.ts';
import { secretsOf } from './secrets.ts';
import { signedHeaders } from './sign.ts';

export interface TestResult {
  event_id: string;
  status: number | null;
  latency_ms: number;
  error: AttemptError | null;
}

/**
 * Sends a signed `session.started` with `data.test: true` now, once, also while the webhook is failing; it is no event
 * of the organization and stands in no log. Throws `overloaded` when the endpoint has too many under way already.
 */
export async function testWebhook(ctx: Context, webhook: Webhook): Promise<TestResult> {
  const atMs = ctx.clock.now();
  const event = sampleEvent(webhook.org_id, atMs);
  const body = envelopeOf(event);
  const secrets = secretsOf(ctx, webhook);
  const url = new URL(webhook.url);
  const slot = await takeSlot(ctx, `test ${webhook._id}`);
  if (!slot) throw new DomainError('overloaded', 'Tests of this webhook are under way; wait for their end.');
  const { status, latencyMs, error } = await post(slot.connectTo(url), {
    path: url.pathname + url.search,
    headers: signedHeaders(secrets, { eventId: event._id, body, attempt: 1, atMs }),
    body,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    answerBytes: WEBHOOK_ANSWER_BYTES,
  });
  slot.release(status !== null);
  slot.settle();
  return { event_id: event._id, status, latency_ms: latencyMs, error };
}

function sampleEvent(orgId: string, atMs: number): Omit<Event, 'created_at'> {
  const at = dateAt(atMs);
  const session: SessionView = {
    id: newId('ses'),
    user_id: 'test-user',
    project_id: 'test-project',
    started_at: at.toISOString(),
    ended_at: at.toISOString(),
    duration_s: 0,
    model: 'unknown',
    models: [],
    tokens_in: 0,
    tokens_out: 0,
    cost_usd: 0,
    signal_count: 1,
    error_count: 0,
    adapter: 'test',
    state: 'open',
    end_reason: null,
    intervention_count: 0,
    unpriced_signals: 0,
    last_activity_at: at.toISOString(),
  };
  return {
    _id: newId('evt'),
    type: 'session.started',
    org_id: orgId,
    ts: at,
    data: { ...session, test: true },
  };
}
