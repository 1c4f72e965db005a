import { envelopeOf } from '../../events/new-event.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { newId } from '../../platform/basics/ids.ts';
import type { Context } from '../../platform/context/context.ts';
import type { AttemptError } from '../deliveries/model.ts';
import { takeMailPermit } from '../endpoints/mail-permits.ts';
import { mailAddressOf } from '../endpoints/mail-target.ts';
import type { Webhook } from '../endpoints/model.ts';
import { sampleSession } from '../messages/preview.ts';
import { endpointOf, takePermits } from './endpoint.ts';
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
  await requireMailPermit(ctx, webhook);
  const [taken] = takePermits(ctx, endpointOf(ctx, `test ${webhook._id}`), 1);
  const permit = await taken;
  if (!permit)
    throw new DomainError('overloaded', 'Tests of this webhook are under way; wait for their end.');
  try {
    const ts = dateAt(atMs);
    const data = { ...sampleSession(isoTime(atMs)), id: newId('ses'), test: true };
    const envelope = envelopeOf(eventId, { type: 'session.started', org_id: webhook.org_id, ts, data });
    const message = { eventId, envelope, attempt: 1, atMs };
    const answered = await sendMessage(ctx, permit, webhook, message);
    permit.release(answered.status !== null);
    return {
      event_id: eventId,
      status: answered.status,
      latency_ms: answered.latencyMs,
      error: answered.error,
    };
  } finally {
    permit.finish();
  }
}

async function requireMailPermit(ctx: Context, webhook: Webhook): Promise<void> {
  if (webhook.format !== 'email') return;
  const address = mailAddressOf(ctx.config, webhook);
  if ((await takeMailPermit(ctx, { orgId: webhook.org_id, address })) === null) return;
  throw new DomainError(
    'overloaded',
    'The organization has sent as many mails as it may within an hour, to this mailbox or in all. Try again later.',
  );
}
