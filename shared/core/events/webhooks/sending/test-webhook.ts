import { dateAt, isoTime } from '../../../../platform/basics/clock.ts';
import { dashboardUrl } from '../../../../platform/basics/config.ts';
import type { EventType } from '../../../../platform/basics/contract.ts';
import { DomainError } from '../../../../platform/basics/errors.ts';
import { derivedId, newId } from '../../../../platform/basics/ids.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { insertRow } from '../../../../platform/mongo/writes.ts';
import { readOrganization, timezoneAt } from '../../../accounts/organizations/read-organization.ts';
import { eventRows } from '../../record/model.ts';
import { envelopeOf, type Words } from '../../record/new-event.ts';
import { type AttemptError, type Delivery, deliveryRows } from '../deliveries/model.ts';
import { takeMailPermit } from '../endpoints/mail-permits.ts';
import { mailAddressOf } from '../endpoints/mail-target.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import { sampleSession } from '../messages/preview.ts';
import { endpointOf, takePermits } from './endpoint.ts';
import type { Answered } from './post.ts';
import { sendMessage } from './send-attempt.ts';

export interface TestResult {
  event_id: string;
  status: number | null;
  latency_ms: number;
  error: AttemptError | null;
}

/**
 * Sends a signed `session.started` with `data.test: true` now, once, in the webhook's format, also while the webhook is
 * failing, and adds it to the log of its deliveries. It never counts towards failing. Throws `overloaded` when the endpoint
 * has too many under way already, or its address too many mails within the hour.
 */
export async function testWebhook(ctx: Context, webhook: Webhook): Promise<TestResult> {
  const atMs = ctx.clock.now();
  const eventId = newId('evt');
  const [taken] = takePermits(ctx, endpointOf(ctx, `test ${webhook._id}`), 1);
  const permit = await taken;
  if (!permit)
    throw new DomainError('overloaded', 'Tests of this webhook are under way; wait for their end.');
  try {
    const ts = dateAt(atMs);
    const type = 'session.started';
    const data = { ...sampleSession(isoTime(atMs)), id: newId('ses'), test: true };
    const envelope = envelopeOf(eventId, { type, org_id: webhook.org_id, ts, data });
    const words = JSON.stringify(await testWords(ctx, webhook));
    const message = { eventId, envelope, words, attempt: 1, atMs };
    await requireMailPermit(ctx, webhook);
    const answered = await sendMessage(ctx, permit, webhook, message);
    permit.release(answered.status !== null);
    await logTest(ctx, webhook, { ...message, type }, answered);
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

/** The zone of the organization, and the page of the channel, which is what somebody wants to see after a test. */
async function testWords(ctx: Context, webhook: Webhook): Promise<Words> {
  const organization = await readOrganization(ctx, webhook.org_id);
  const timezone = timezoneAt(organization, ctx.clock.now());
  return { timezone, link: dashboardUrl(ctx.config, `alerts/${webhook._id}`) };
}

/** Adds a test to the log, with the bytes that were sent, unless its webhook was deleted meanwhile. */
async function logTest(
  ctx: Context,
  { _id: webhook_id, org_id }: Webhook,
  {
    eventId,
    envelope,
    words,
    type,
    atMs,
  }: { eventId: string; envelope: string; words: string; type: EventType; atMs: number },
  { status, latencyMs, error, answer }: Answered,
): Promise<void> {
  const at = dateAt(atMs);
  const raised = { type, org_id, webhook_id, created_at: at };
  const delivery: Delivery = {
    _id: derivedId('dlv', eventId, webhook_id),
    event_id: eventId,
    ...raised,
    status: error === null ? 'succeeded' : 'exhausted',
    round: 1,
    next_attempt_at: null,
    attempts: [{ number: 1, at, status, latency_ms: latencyMs, error, answer }],
    finished_at: dateAt(ctx.clock.now()),
    test: true,
  };
  await commitPlan(ctx, async (transaction) => {
    const isThere = await webhookRows(ctx).findOne({ _id: webhook_id }, { session: transaction });
    if (!isThere) return { result: undefined };
    const event = { _id: eventId, ...raised, body: envelope, words, index: 0 };
    const writes = [insertRow(eventRows, event), insertRow(deliveryRows, delivery)];
    return { writes, result: undefined };
  });
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
