import type { Event } from '../../events/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { WEBHOOK_ANSWER_BYTES, WEBHOOK_TIMEOUT_MS } from '../../platform/basics/contract.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { newId } from '../../platform/basics/ids.ts';
import type { Context } from '../../platform/context/context.ts';
import { envelopeOf } from '../deliveries/envelope.ts';
import type { AttemptError } from '../deliveries/model.ts';
import type { Webhook } from '../endpoints/model.ts';
import { signingSecrets } from '../endpoints/signing-secrets.ts';
import { targetOf } from '../endpoints/target.ts';
import { render } from '../messages/render.ts';
import { takePermit } from './permits.ts';
import { post } from './post.ts';
import { signedHeaders } from './sign.ts';

export interface TestResult {
  event_id: string;
  status: number | null;
  latency_ms: number;
  error: AttemptError | null;
}

/**
 * Sends a signed `session.started` with `data.test: true` now, once, in the webhook's format, also while the webhook is failing; it is no event
 * of the organization and stands in no log. Throws `overloaded` when the endpoint has too many under way already.
 */
export async function testWebhook(ctx: Context, webhook: Webhook): Promise<TestResult> {
  const atMs = ctx.clock.now();
  const event = sampleEvent(webhook.org_id, atMs);
  const { headers, body } = render(webhook.format, envelopeOf(event));
  const secrets = signingSecrets(ctx.config, webhook, atMs);
  const url = targetOf(ctx.config, webhook);
  const permit = await takePermit(ctx, `test ${webhook._id}`);
  if (!permit)
    throw new DomainError('overloaded', 'Tests of this webhook are under way; wait for their end.');
  const { status, latencyMs, error } = await post(permit.connectTo(url), {
    path: url.pathname + url.search,
    headers: { ...signedHeaders(secrets, { eventId: event._id, body, attempt: 1, atMs }), ...headers },
    body,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    answerBytes: WEBHOOK_ANSWER_BYTES,
  });
  permit.release(status !== null);
  permit.finish();
  return { event_id: event._id, status, latency_ms: latencyMs, error };
}

/** A session as `session.started` shows one; a test compares it with the sessions' own view. */
function sampleEvent(orgId: string, atMs: number): Omit<Event, 'created_at'> {
  const at = dateAt(atMs);
  const session = {
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
