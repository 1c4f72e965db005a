import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventRows } from '../../../../../../shared/core/events/record/model.ts';
import type { NewEvent } from '../../../../../../shared/core/events/record/new-event.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { planEvents } from '../../../../../../shared/core/events/webhooks/deliveries/plan-events.ts';
import { redeliver } from '../../../../../../shared/core/events/webhooks/deliveries/redeliver.ts';
import { sendDigests } from '../../../../../../shared/core/events/webhooks/deliveries/send-digests.ts';
import { withWords } from '../../../../../../shared/core/events/webhooks/deliveries/with-words.ts';
import { deleteWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { findSubscribers } from '../../../../../../shared/core/events/webhooks/endpoints/find-subscribers.ts';
import { updateWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import type { WebhookInput } from '../../../../../../shared/core/events/webhooks/endpoints/view.ts';
import { commitPlan } from '../../../../../../shared/platform/context/commit-plan.ts';
import { drainWebhook } from '../../../../../../workers/index.ts';
import { besideIt } from '../../../../../support/beside-transaction.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { openTestContext } from '../../../../../support/harness.ts';
import { type Receiver, startReceiver } from '../../../../../support/receiver.ts';
import { attemptAllDue, findDeliveries, raise, subscribe } from '../../../../../support/webhooks.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MORNING = Date.UTC(2026, 0, 16, 8);
const fx = await storesFixture({ clock: NOON, receiver: true, perTest: true });
const { ctx, clock } = fx;
const other = await openTestContext({ clock, sharing: ctx });
afterAll(() => other.close());

async function webhookWith(settings: Partial<WebhookInput> = { digest: 'daily' }) {
  const { orgId } = await fx.tenant();
  const asked = { url: fx.receiver.url, events: ['session.started' as const], ...settings };
  return { orgId, webhook: await subscribe(ctx, orgId, asked) };
}

async function statusesOf(orgId: string): Promise<string[]> {
  return (await findDeliveries(ctx, { org_id: orgId })).map(({ status }) => status).toSorted();
}

const idsIn = (data: Record<string, unknown>) => (data.events as { id: string }[]).map(({ id }) => id);

describe('a digest', () => {
  it('holds every event once, in the order in which they were raised, whenever each was due and however many workers send it', async () => {
    const { orgId } = await webhookWith();
    const raised = await raise(ctx, orgId, 3);
    clock.advance(1);
    raised.push(...(await raise(ctx, orgId, 2)));
    await attemptAllDue(ctx);
    await sendDigests(ctx);
    expect([fx.receiver.received.length, await statusesOf(orgId)]).toEqual([0, Array(5).fill('collected')]);
    // The newest is due first.
    for (const [index, event_id] of raised.entries())
      await queuedDeliveryRows(ctx).updateOne({ event_id }, { $set: { at: MORNING - index } });
    clock.set(MORNING);
    const sent = await Promise.all([sendDigests(ctx), sendDigests(other), sendDigests(ctx)]);
    expect(sent.reduce((sum, count) => sum + count)).toBe(1);
    await attemptAllDue(ctx);
    const told = fx.receiver.received.map(({ event: { type, ts, data } }) => [type, ts, idsIn(data)]);
    expect(told).toEqual([['digest', new Date(MORNING).toISOString(), raised]]);
    expect(await statusesOf(orgId)).toEqual([...Array(5).fill('digested'), 'succeeded']);
  });

  it('of large events is several, none larger than a row may be', async () => {
    const { orgId } = await webhookWith();
    const large = { models: '\u0001'.repeat(20_000) };
    for (let times = 0; times < 5; times += 1) await raise(ctx, orgId, 36, large);
    clock.set(MORNING);
    expect(await sendDigests(ctx)).toBeGreaterThan(1);
    expect(await statusesOf(orgId)).toEqual(expect.arrayContaining(Array(180).fill('digested')));
  });

  it('that cannot be made keeps none of another webhook', async () => {
    const broken = await webhookWith();
    const others = [await webhookWith(), await webhookWith()];
    for (const { orgId } of [broken, ...others]) await raise(ctx, orgId);
    const filter = { webhook_id: broken.webhook._id };
    await queuedDeliveryRows(ctx).updateOne(filter, { $set: { body: '{' } });
    clock.set(MORNING);
    await expect(sendDigests(ctx)).rejects.toThrow('Webhooks whose digest was not sent: 1');
    for (const { orgId } of others) expect(await statusesOf(orgId)).toEqual(['digested', 'pending']);
    await queuedDeliveryRows(ctx).deleteMany(filter);
  });

  it('that another worker has sent between reading and writing is left to that one, and goes to its webhook alone', async () => {
    const { orgId, webhook } = await webhookWith();
    await subscribe(ctx, orgId, { events: ['session.started'] });
    await raise(ctx, orgId, 2);
    clock.set(MORNING);
    const client = ctx.db.connection.getClient();
    const write = client.bulkWrite.bind(client);
    client.bulkWrite = async (...args) => {
      client.bulkWrite = write;
      expect(await besideIt(() => sendDigests(other))).toBe(1);
      return write(...args);
    };
    expect(await sendDigests(ctx)).toBe(0);
    const [digest, ...more] = await eventRows(ctx).find({ org_id: orgId, type: 'digest' }).toArray();
    expect(more).toEqual([]);
    const deliveries = await findDeliveries(ctx, { event_id: digest?._id ?? '' });
    expect(deliveries).toMatchObject([{ webhook_id: webhook._id }]);
  });

  it('takes no more than 200 events, and does not wait for all digests of another webhook', async () => {
    const lively = [await webhookWith(), await webhookWith()];
    for (const { orgId } of lively) await raise(ctx, orgId, 401);
    clock.set(MORNING);
    expect(await sendDigests(ctx)).toBe(6);
    const digests = await eventRows(ctx).find({ type: 'digest' }).toArray();
    const ids = digests.map(({ webhook_id }) => webhook_id);
    const [first, second] = lively.map(({ webhook }) => ids.indexOf(webhook._id));
    expect(Math.abs((first ?? 0) - (second ?? 0))).toBe(1);
    await attemptAllDue(ctx);
    const sizes = fx.receiver.received.map(({ event }) => idsIn(event.data).length);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 1, 200, 200, 200, 200]);
  });

  it('does not delay a delivery that is sent again by hand', async () => {
    const { orgId, webhook } = await webhookWith();
    await raise(ctx, orgId);
    const [collected] = await queuedDeliveryRows(ctx).find({ org_id: orgId }).toArray();
    await redeliver(ctx, webhook, collected?._id ?? '');
    await attemptAllDue(ctx);
    expect(fx.receiver.received.map(({ event }) => event.type)).toEqual(['session.started']);
    clock.set(MORNING);
    expect(await sendDigests(ctx)).toBe(0);
  });

  it('of a deleted webhook is not sent', async () => {
    const { orgId, webhook } = await webhookWith();
    await raise(ctx, orgId, 2);
    await deleteWebhook(ctx, orgId, webhook._id);
    await drainWebhook.handle({ key: webhook._id }, ctx);
    expect(await statusesOf(orgId)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('quiet hours', () => {
  it('keep a delivery until they end; its retries then keep their schedule', async () => {
    const quiet_hours = { from: '11:00', to: '13:00', timezone: 'UTC' };
    const { orgId } = await webhookWith({ quiet_hours });
    await raise(ctx, orgId);
    await attemptAllDue(ctx);
    expect(fx.receiver.received).toHaveLength(0);
    fx.receiver.behave({ status: 500 });
    clock.set(Date.UTC(2026, 0, 15, 13));
    await attemptAllDue(ctx);
    expect(fx.receiver.received).toHaveLength(1);
    const [retry] = await queuedDeliveryRows(ctx).find({ org_id: orgId }).toArray();
    expect(retry?.at).toBe(Date.UTC(2026, 0, 15, 13, 0, 30));
  });
});

describe('anomalies in a channel', () => {
  let slack: Receiver;
  beforeEach(async () => {
    slack = await startReceiver();
  });
  afterEach(() => slack.close());

  /** A channel and a JSON webhook for anomalies. Returns the id of the channel. */
  async function channelWith(settings: Partial<WebhookInput> = {}): Promise<string> {
    const events = ['anomaly.detected' as const];
    await subscribe(ctx, fx.orgId, { events, url: fx.receiver.url });
    return (await subscribe(ctx, fx.orgId, { events, format: 'slack', url: slack.url, ...settings }))._id;
  }

  let raised = 0;

  /** Raises anomalies, each of these sessions one of this kind. */
  async function spike(sessions: readonly string[], anomaly_type = 'token_spike'): Promise<void> {
    const figures = { baseline_avg: 50, observed: 999, deviation_pct: 1_898 };
    const events = sessions.map((session_id): NewEvent => {
      raised += 1;
      return {
        type: 'anomaly.detected',
        cause: ['anm', raised],
        org_id: fx.orgId,
        ts: new Date(clock.now()),
        concerns: { people: ['ada'] },
        data: { anomaly_type, user_id: 'ada', ...figures, session_id },
      };
    });
    await commitPlan(ctx, async (transaction) => {
      const subscribers = await findSubscribers(ctx, fx.orgId, transaction);
      const spoken = await withWords(ctx, events, subscribers.webhooks, transaction);
      return { ...planEvents(spoken, subscribers, clock.now()), result: undefined };
    });
  }

  /** Two workers do what is due. */
  async function work(): Promise<void> {
    await Promise.all([sendDigests(ctx), sendDigests(other)]);
    await attemptAllDue(ctx);
  }

  /** Lets time pass, in which workers look every few seconds. */
  async function pass(ms: number): Promise<void> {
    const endMs = clock.now() + ms;
    for (const stepMs of [0, 5 * SECOND, 24 * SECOND, SECOND, ms]) {
      if (clock.now() + stepMs <= endMs) clock.advance(stepMs);
      await work();
    }
    clock.set(endMs);
    await work();
  }

  const fieldsOf = (message: { blocks: { fields?: { text: string }[] }[] }) =>
    message.blocks[1]?.fields?.map(({ text }) => text);
  const messages = () => slack.received.map(({ body }) => JSON.parse(body.toString()));
  const titles = () => messages().map(({ blocks }) => blocks[0].text.text);

  it('of 25 sessions that spike together are one message, also in its log: the first five and “20 more”', async () => {
    const channelId = await channelWith();
    for (let at = 0; at < 25; at += 1) {
      await spike([`ses_${at}`]);
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
    const deliveries = await findDeliveries(ctx, { org_id: fx.orgId });
    const own = deliveries.filter(({ webhook_id }) => webhook_id === channelId);
    const states = own.map(({ type, status }) => `${type} ${status}`);
    expect(states.toSorted()).toEqual([...Array(25).fill('anomaly.detected digested'), 'digest succeeded']);
    await pass(10 * MINUTE);
    expect(slack.received).toHaveLength(1);
  });

  it('wait 30 s at first, and five minutes after a message', async () => {
    await channelWith();
    await spike(['ses_1']);
    await pass(30 * SECOND);
    expect(titles()).toEqual(['Unusual usage of “ada”']);
    await spike(['ses_2']);
    await pass(5 * MINUTE - SECOND);
    await spike(['ses_3']);
    expect(slack.received).toHaveLength(1);
    await pass(SECOND);
    expect(titles().at(-1)).toBe('Unusual usage in 2 sessions of “ada”');
    clock.advance(10 * MINUTE);
    await spike(['ses_4']);
    await pass(29 * SECOND);
    expect(slack.received).toHaveLength(2);
    await pass(SECOND);
    expect(slack.received).toHaveLength(3);
  });

  it('of one session are one message, and at most one more within an hour', async () => {
    await channelWith();
    await spike(['ses_1']);
    await spike(['ses_1'], 'cost_spike');
    await pass(30 * SECOND);
    expect(fieldsOf(messages()[0])).toEqual([
      'Tokens\n999 tokens, usually 50',
      'Cost\n$999.00, usually $50.00',
    ]);
    for (let times = 0; times < 5; times += 1) {
      await spike(['ses_1']);
      await pass(10 * MINUTE);
    }
    expect(slack.received).toHaveLength(2);
    await spike(['ses_2']);
    await pass(MINUTE);
    expect(titles()).toHaveLength(3);
    await pass(10 * MINUTE);
    expect(titles()).toEqual(Array(4).fill('Unusual usage of “ada”'));
    expect(fx.receiver.received).toHaveLength(8);
  });

  it.each([
    ['do not arrive', async () => slack.behave({ status: 500 })],
    ['are held', async (id: string) => updateWebhook(ctx, fx.orgId, id, { enabled: false })],
  ])('of one session are no more messages where these %s', async (_, stop) => {
    const channelId = await channelWith();
    await stop(channelId);
    for (let times = 0; times < 4; times += 1) {
      await spike(['ses_1']);
      await pass(10 * MINUTE);
    }
    expect(await eventRows(ctx).countDocuments({ org_id: fx.orgId, type: 'digest' })).toBe(2);
  });

  it('wait for the end of quiet hours, and are one message then', async () => {
    await channelWith({ quiet_hours: { from: '12:01', to: '13:00', timezone: 'UTC' } });
    clock.advance(45 * SECOND);
    await spike(['ses_1']);
    clock.advance(20 * SECOND);
    await spike(['ses_2']);
    await pass(50 * MINUTE);
    expect(slack.received).toHaveLength(0);
    clock.set(NOON + 60 * MINUTE);
    await pass(0);
    expect(titles()).toEqual(['Unusual usage in 2 sessions of “ada”']);
  });

  it('are held while the channel is paused, and sent once it is enabled', async () => {
    const channelId = await channelWith();
    await spike(['ses_1']);
    await updateWebhook(ctx, fx.orgId, channelId, { enabled: false });
    await pass(MINUTE);
    expect(slack.received).toHaveLength(0);
    await updateWebhook(ctx, fx.orgId, channelId, { enabled: true });
    await drainWebhook.handle({ key: channelId }, ctx);
    expect(titles()).toEqual(['Unusual usage of “ada”']);
  });

  it('go into the digest of a channel that has one', async () => {
    await channelWith({ digest: 'daily' });
    await spike(['ses_1', 'ses_2']);
    await pass(10 * MINUTE);
    expect(slack.received).toHaveLength(0);
    clock.set(Date.UTC(2026, 0, 16, 8));
    await pass(0);
    expect(titles()).toEqual(['Digest: 2 events']);
  });
});
