import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventRows } from '../../../../../../shared/core/events/record/model.ts';
import type { NewEvent } from '../../../../../../shared/core/events/record/new-event.ts';
import { planEvents } from '../../../../../../shared/core/events/webhooks/deliveries/plan-events.ts';
import { sendDigests } from '../../../../../../shared/core/events/webhooks/deliveries/send-digests.ts';
import { withWords } from '../../../../../../shared/core/events/webhooks/deliveries/with-words.ts';
import { createWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { findSubscribers } from '../../../../../../shared/core/events/webhooks/endpoints/find-subscribers.ts';
import { updateWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import type { WebhookInput } from '../../../../../../shared/core/events/webhooks/endpoints/view.ts';
import { commitPlan } from '../../../../../../shared/platform/context/commit-plan.ts';
import { drainWebhook } from '../../../../../../workers/index.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { openTestContext } from '../../../../../support/harness.ts';
import { type Receiver, startReceiver } from '../../../../../support/receiver.ts';
import { attemptAllDue, findDeliveries, SECRET } from '../../../../../support/webhooks.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const fx = await storesFixture({ clock: NOON, receiver: true, perTest: true });
const { ctx, clock, tenant } = fx;
const other = await openTestContext({ clock, sharing: ctx });
let slack: Receiver;
beforeEach(async () => {
  clock.set(NOON);
  slack = await startReceiver();
});
afterEach(() => slack.close());
afterAll(() => other.close());

/** An organization with a channel and a JSON webhook for anomalies. */
async function tenantWith(settings: Partial<WebhookInput> = {}) {
  const { orgId } = await tenant();
  const events = ['anomaly.detected' as const];
  const channel = await createWebhook(ctx, orgId, { events, format: 'slack', url: slack.url, ...settings });
  await createWebhook(ctx, orgId, { events, url: fx.receiver.url, secret: SECRET });
  return { orgId, channelId: channel._id };
}

let raised = 0;

/** Raises anomalies, each of these sessions one of this kind. */
async function spike(orgId: string, sessions: readonly string[], kind = 'token_spike'): Promise<void> {
  const events = sessions.map((session_id): NewEvent => {
    raised += 1;
    const figures = { baseline_avg: 50, observed: 999, deviation_pct: 1_898 };
    return {
      type: 'anomaly.detected',
      cause: ['anm', raised],
      org_id: orgId,
      ts: new Date(clock.now()),
      concerns: { people: ['ada'] },
      data: { anomaly_type: kind, user_id: 'ada', ...figures, session_id },
    };
  });
  await commitPlan(ctx, async (transaction) => {
    const subscribers = await findSubscribers(ctx, orgId, transaction);
    const spoken = await withWords(ctx, events, subscribers.webhooks, transaction);
    return { ...planEvents(spoken, subscribers, clock.now()), result: undefined };
  });
}

/** Lets time pass, in which two workers do what is due every second. */
async function pass(ms: number): Promise<void> {
  const endMs = clock.now() + ms;
  for (const stepMs of [0, 5 * SECOND, 24 * SECOND, SECOND, ms]) {
    if (clock.now() + stepMs <= endMs) clock.advance(stepMs);
    await Promise.all([sendDigests(ctx), sendDigests(other)]);
    await attemptAllDue(ctx);
  }
  clock.set(endMs);
  await Promise.all([sendDigests(ctx), sendDigests(other)]);
  await attemptAllDue(ctx);
}

const fieldsOf = (message: { blocks: { fields?: { text: string }[] }[] }) =>
  message.blocks[1]?.fields?.map(({ text }) => text);
const messages = () => slack.received.map(({ body }) => JSON.parse(body.toString()));
const titles = () => messages().map(({ blocks }) => blocks[0].text.text);

describe('anomalies in a channel', () => {
  it('of 25 sessions that spike together are one message: the first five and “20 more”', async () => {
    const { orgId } = await tenantWith();
    for (let at = 0; at < 25; at += 1) {
      await spike(orgId, [`ses_${at}`]);
      clock.advance(SECOND);
    }
    await pass(4 * SECOND);
    expect(slack.received).toHaveLength(0);
    expect(fx.receiver.received).toHaveLength(25);
    await pass(SECOND);
    expect(titles()).toEqual(['Unusual usage in 25 sessions of “ada”']);
    expect(fieldsOf(messages()[0])).toEqual([
      ...Array(5).fill('ada\n999 tokens, usually 50'),
      'And\n20 more',
    ]);
    expect(messages()[0].blocks[2].text.text).toMatch(/\/dashboard\/anomalies\|Open anomalies>$/);
    await pass(10 * MINUTE);
    expect(slack.received).toHaveLength(1);
  });

  it('wait 30 s at first, and five minutes after a message', async () => {
    const { orgId } = await tenantWith();
    await spike(orgId, ['ses_1']);
    await pass(30 * SECOND);
    expect(titles()).toEqual(['Unusual usage of “ada”']);
    await spike(orgId, ['ses_2']);
    await pass(5 * MINUTE - SECOND);
    await spike(orgId, ['ses_3']);
    expect(slack.received).toHaveLength(1);
    await pass(SECOND);
    expect(titles().at(-1)).toBe('Unusual usage in 2 sessions of “ada”');
    clock.advance(10 * MINUTE);
    await spike(orgId, ['ses_4']);
    await pass(29 * SECOND);
    expect(slack.received).toHaveLength(2);
    await pass(SECOND);
    expect(slack.received).toHaveLength(3);
  });

  it('of one session are one message, and at most one more within an hour', async () => {
    const { orgId } = await tenantWith();
    await spike(orgId, ['ses_1']);
    await spike(orgId, ['ses_1'], 'cost_spike');
    await pass(30 * SECOND);
    expect(fieldsOf(messages()[0])).toEqual([
      'Tokens\n999 tokens, usually 50',
      'Cost\n$999.00, usually $50.00',
    ]);
    for (let times = 0; times < 5; times += 1) {
      await spike(orgId, ['ses_1']);
      await pass(10 * MINUTE);
    }
    expect(slack.received).toHaveLength(2);
    await spike(orgId, ['ses_2']);
    await pass(MINUTE);
    expect(titles()).toHaveLength(3);
    await pass(10 * MINUTE);
    expect(titles()).toEqual(Array(4).fill('Unusual usage of “ada”'));
    expect(fx.receiver.received).toHaveLength(8);
  });

  it.each([
    ['do not arrive', async () => slack.behave({ status: 500 })],
    ['are held', async (orgId: string, id: string) => updateWebhook(ctx, orgId, id, { enabled: false })],
  ])('of one session are no more messages where these %s', async (_, stop) => {
    const { orgId, channelId } = await tenantWith();
    await stop(orgId, channelId);
    for (let times = 0; times < 4; times += 1) {
      await spike(orgId, ['ses_1']);
      await pass(10 * MINUTE);
    }
    expect(await eventRows(ctx).countDocuments({ org_id: orgId, type: 'digest' })).toBe(2);
  });

  it('each arrive once, in the log of the channel too', async () => {
    const { orgId, channelId } = await tenantWith();
    await spike(orgId, ['ses_1', 'ses_2', 'ses_3']);
    await pass(MINUTE);
    const deliveries = await findDeliveries(ctx, { org_id: orgId });
    const own = deliveries.filter(({ webhook_id }) => webhook_id === channelId);
    const states = own.map(({ type, status }) => `${type} ${status}`);
    expect(states.toSorted()).toEqual([...Array(3).fill('anomaly.detected digested'), 'digest succeeded']);
  });

  it('wait for the end of quiet hours, and are one message then', async () => {
    const { orgId } = await tenantWith({ quiet_hours: { from: '12:01', to: '13:00', timezone: 'UTC' } });
    clock.advance(45 * SECOND);
    await spike(orgId, ['ses_1']);
    clock.advance(20 * SECOND);
    await spike(orgId, ['ses_2']);
    await pass(50 * MINUTE);
    expect(slack.received).toHaveLength(0);
    clock.set(NOON + 60 * MINUTE);
    await pass(0);
    expect(titles()).toEqual(['Unusual usage in 2 sessions of “ada”']);
  });

  it('are held while the channel is paused, and sent once it is enabled', async () => {
    const { orgId, channelId } = await tenantWith();
    await spike(orgId, ['ses_1']);
    await updateWebhook(ctx, orgId, channelId, { enabled: false });
    await pass(MINUTE);
    expect(slack.received).toHaveLength(0);
    await updateWebhook(ctx, orgId, channelId, { enabled: true });
    await drainWebhook.handle({ key: channelId }, ctx);
    expect(titles()).toEqual(['Unusual usage of “ada”']);
  });

  it('are cancelled with the channel', async () => {
    const { orgId, channelId } = await tenantWith();
    await spike(orgId, ['ses_1']);
    await deleteWebhook(ctx, orgId, channelId);
    await pass(MINUTE);
    expect(slack.received).toHaveLength(0);
    expect(await eventRows(ctx).countDocuments({ org_id: orgId, type: 'digest' })).toBe(0);
  });

  it('go into the digest of a channel that has one', async () => {
    const { orgId } = await tenantWith({ digest: 'daily' });
    await spike(orgId, ['ses_1', 'ses_2']);
    await pass(10 * MINUTE);
    expect(slack.received).toHaveLength(0);
    clock.set(Date.UTC(2026, 0, 16, 8));
    await pass(0);
    expect(titles()).toEqual(['Digest: 2 events']);
  });
});
