import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { eventRows } from '../../../../../../shared/core/events/record/model.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { redeliver } from '../../../../../../shared/core/events/webhooks/deliveries/redeliver.ts';
import { sendDigests } from '../../../../../../shared/core/events/webhooks/deliveries/send-digests.ts';
import { createWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import type { WebhookInput } from '../../../../../../shared/core/events/webhooks/endpoints/view.ts';
import { drainWebhook } from '../../../../../../workers/index.ts';
import { besideIt } from '../../../../../support/beside-transaction.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { openTestContext } from '../../../../../support/harness.ts';
import { attemptAllDue, findDeliveries, raise, SECRET } from '../../../../../support/webhooks.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const MORNING = Date.UTC(2026, 0, 16, 8);
const fx = await storesFixture({ clock: NOON, receiver: true, perTest: true });
const { ctx, clock } = fx;
const other = await openTestContext({ clock, sharing: ctx });
beforeEach(() => clock.set(NOON));
afterAll(() => other.close());

async function webhookWith(settings: Partial<WebhookInput>) {
  const { orgId } = await fx.tenant();
  const input = { url: fx.receiver.url, events: ['session.started' as const], secret: SECRET, ...settings };
  return { orgId, webhook: await createWebhook(ctx, orgId, input) };
}

async function statusesOf(orgId: string): Promise<string[]> {
  return (await findDeliveries(ctx, { org_id: orgId })).map(({ status }) => status).toSorted();
}

describe('a digest', () => {
  it('holds every event once, in their order, however many workers send it', async () => {
    const { orgId } = await webhookWith({ digest: 'daily' });
    const first = await raise(ctx, orgId, 3);
    clock.advance(3_600_000);
    const second = await raise(ctx, orgId, 2);
    await attemptAllDue(ctx);
    await sendDigests(ctx);
    expect([fx.receiver.received.length, await statusesOf(orgId)]).toEqual([0, Array(5).fill('collected')]);
    clock.set(MORNING);
    const sent = await Promise.all([sendDigests(ctx), sendDigests(other), sendDigests(ctx)]);
    expect(sent.reduce((sum, count) => sum + count)).toBe(1);
    await attemptAllDue(ctx);
    const [{ event } = { event: null }, ...more] = fx.receiver.received;
    expect([event?.type, event?.ts, more]).toEqual(['digest', new Date(MORNING).toISOString(), []]);
    const events = event?.data.events as { id: string; type: string }[];
    expect(events.map(({ id }) => id)).toEqual([...first, ...second]);
    expect(await statusesOf(orgId)).toEqual([...Array(5).fill('digested'), 'succeeded']);
  });

  it('has its events in the order in which they were raised, whatever their ids and whenever each was due', async () => {
    const { orgId } = await webhookWith({ digest: 'daily' });
    const raised: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      raised.push(...(await raise(ctx, orgId)));
      clock.advance(index % 3);
    }
    // The newest is due first: the digest does not go by when its events were due.
    for (const [index, event_id] of raised.entries())
      await queuedDeliveryRows(ctx).updateOne({ event_id }, { $set: { at: MORNING - index } });
    clock.set(MORNING);
    await sendDigests(ctx);
    await attemptAllDue(ctx);
    const byTime = await eventRows(ctx).find({ org_id: orgId, type: 'session.started' }).toArray();
    const times = new Map(byTime.map(({ _id, created_at }) => [_id, created_at.getTime()]));
    const sent = fx.receiver.received.flatMap(({ event }) =>
      (event.data.events as { id: string }[]).map(({ id }) => times.get(id)),
    );
    expect(sent).toEqual(sent.toSorted((a, b) => Number(a) - Number(b)));
    expect(sent).toHaveLength(12);
  });

  it('of large events is several, none larger than a row may be', async () => {
    const { orgId } = await webhookWith({ digest: 'daily' });
    const large = { models: '\u0001'.repeat(20_000) };
    for (let times = 0; times < 5; times += 1) await raise(ctx, orgId, 36, large);
    clock.set(MORNING);
    expect(await sendDigests(ctx)).toBeGreaterThan(1);
    expect(await statusesOf(orgId)).toEqual(expect.arrayContaining(Array(180).fill('digested')));
  });

  it('that cannot be made keeps none of another webhook', async () => {
    const broken = await webhookWith({ digest: 'daily' });
    const others = [await webhookWith({ digest: 'daily' }), await webhookWith({ digest: 'daily' })];
    for (const { orgId } of [broken, ...others]) await raise(ctx, orgId);
    const filter = { webhook_id: broken.webhook._id };
    await queuedDeliveryRows(ctx).updateOne(filter, { $set: { body: '{' } });
    clock.set(MORNING);
    await expect(sendDigests(ctx)).rejects.toThrow('Webhooks whose digest was not sent: 1');
    for (const { orgId } of others) expect(await statusesOf(orgId)).toEqual(['digested', 'pending']);
    await queuedDeliveryRows(ctx).deleteMany(filter);
  });

  it('that another worker has sent between reading and writing is left to that one', async () => {
    const { orgId } = await webhookWith({ digest: 'daily' });
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
    expect(await eventRows(ctx).countDocuments({ org_id: orgId, type: 'digest' })).toBe(1);
  });

  it('takes no more than 200 events: what is beyond is in another one', async () => {
    const { orgId } = await webhookWith({ digest: 'weekly' });
    await raise(ctx, orgId, 201);
    clock.set(Date.UTC(2026, 0, 19, 8));
    expect(await sendDigests(ctx)).toBe(2);
    await attemptAllDue(ctx);
    const sizes = fx.receiver.received.map(({ event }) => (event.data.events as []).length);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 200]);
  });

  it('does not wait for all digests of another webhook', async () => {
    const lively = [await webhookWith({ digest: 'daily' }), await webhookWith({ digest: 'daily' })];
    for (const { orgId } of lively) await raise(ctx, orgId, 401);
    clock.set(MORNING);
    await sendDigests(ctx);
    const digests = await eventRows(ctx).find({ type: 'digest' }).toArray();
    const ids = digests.map(({ webhook_id }) => webhook_id);
    const [first, second] = lively.map(({ webhook }) => ids.indexOf(webhook._id));
    expect(Math.abs((first ?? 0) - (second ?? 0))).toBe(1);
  });

  it('goes to its webhook alone', async () => {
    const { orgId } = await webhookWith({ digest: 'daily' });
    const input = { url: fx.receiver.url, events: ['session.started' as const], secret: SECRET };
    const plain = await createWebhook(ctx, orgId, input);
    await raise(ctx, orgId);
    clock.set(MORNING);
    await sendDigests(ctx);
    const [digest] = await eventRows(ctx).find({ org_id: orgId, type: 'digest' }).toArray();
    const deliveries = await findDeliveries(ctx, { event_id: digest?._id ?? '' });
    expect(deliveries.map(({ webhook_id }) => webhook_id)).not.toContain(plain._id);
    expect(deliveries).toHaveLength(1);
  });

  it('does not delay a delivery that is sent again by hand', async () => {
    const { orgId, webhook } = await webhookWith({ digest: 'daily' });
    await raise(ctx, orgId);
    const [collected] = await queuedDeliveryRows(ctx).find({ org_id: orgId }).toArray();
    await redeliver(ctx, webhook, collected?._id ?? '');
    await attemptAllDue(ctx);
    expect(fx.receiver.received.map(({ event }) => event.type)).toEqual(['session.started']);
    clock.set(MORNING);
    expect(await sendDigests(ctx)).toBe(0);
  });

  it('of a deleted webhook is not sent', async () => {
    const { orgId, webhook } = await webhookWith({ digest: 'daily' });
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
