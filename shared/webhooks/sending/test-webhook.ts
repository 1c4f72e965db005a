import { envelopeOf, type NewEvent } from '../../events/new-event.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { newId } from '../../platform/basics/ids.ts';
import type { Context } from '../../platform/context/context.ts';
import type { AttemptError } from '../deliveries/model.ts';
import type { Webhook } from '../endpoints/model.ts';
import { takeMailPermit } from './mail-permits.ts';
import { takePermit } from './permits.ts';
import { sendMessage } from './send-attempt.ts';

export interface TestResult {
  event_id: string;
  status: number | null;
  latency_ms: number;
  error: AttemptError | null;
}

/**
 * Sends a signed `session.started` with `data.test: true` now, once, in the webhook's format, also while the webhook is
 * failing; it is no event of the organization and stands in no log. Throws `overloaded` when the endpoint has too many
 * under way already, or its address too many mails within the hour.
 */
export async function testWebhook(ctx: Context, webhook: Webhook): Promise<TestResult> {
  const atMs = ctx.clock.now();
  const eventId = newId('evt');
  if ((await takeMailPermit(ctx, webhook)) !== null)
    throw new DomainError('overloaded', 'This address had twenty mails within an hour; try again later.');
  const permit = await takePermit(ctx, `test ${webhook._id}`);
  if (!permit)
    throw new DomainError('overloaded', 'Tests of this webhook are under way; wait for their end.');
  let status: number | null = null;
  try {
    const envelope = envelopeOf(eventId, sampleEvent(webhook.org_id, atMs));
    const message = { eventId, envelope, attempt: 1, atMs };
    const answered = await sendMessage(ctx, permit, webhook, message);
    status = answered.status;
    return { event_id: eventId, status, latency_ms: answered.latencyMs, error: answered.error };
  } finally {
    permit.release(status !== null);
    permit.finish();
  }
}

/** A session as `session.started` shows one; a test compares it with the sessions' own view. */
function sampleEvent(orgId: string, atMs: number): Omit<NewEvent, 'cause'> {
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
  return { type: 'session.started', org_id: orgId, ts: at, data: { ...session, test: true } };
}
