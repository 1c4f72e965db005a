import { describe, expect, it } from 'vitest';
import { getDelivery } from '../../../../../../shared/core/events/webhooks/deliveries/find-delivery.ts';
import {
  deliveryRows,
  finished,
  queuedDeliveryRows,
} from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import {
  holdExhausted,
  recoverDeliveries,
} from '../../../../../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { redeliver } from '../../../../../../shared/core/events/webhooks/deliveries/redeliver.ts';
import { deleteWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { enableWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { purge } from '../../../../../../shared/core/retention/purge.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { RETENTION } from '../../../../../../shared/tables/retention.ts';
import { drainWebhook } from '../../../../../../workers/index.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { standingStillAfter } from '../../../../../support/interleave.ts';
import { attemptAllDue, findDeliveries, raise, readDelivery } from '../../../../../support/webhooks.ts';

const DAY_MS = 86_400_000;
const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;

/** A webhook that has one event, and the delivery of it. */
async function begin() {
  const webhook = await fx.webhook(fx.receiver.url);
  const [eventId = ''] = await raise(ctx, fx.orgId);
  const { _id } = await readDelivery(ctx, eventId);
  return { webhook, webhookId: webhook._id, eventId, deliveryId: _id };
}

/** A webhook that fails. */
async function beginFailing() {
  const webhook = await fx.webhook(fx.receiver.url);
  await fail(webhook._id);
  return webhook;
}

const enable = (webhookId: string) => enableWebhook(ctx, fx.orgId, webhookId);
const drain = (webhookId: string) => drainWebhook.handle({ key: webhookId }, ctx);
const fail = (_id: string) => webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
const statusOf = async (eventId: string) => (await readDelivery(ctx, eventId)).status;
async function remove(webhookId: string): Promise<void> {
  await deleteWebhook(ctx, fx.orgId, webhookId);
  await drain(webhookId);
}

describe('redelivery and removal', () => {
  it('sends the same bytes again from attempt 1, logs each, and is read whole meanwhile', async () => {
    const { webhook, eventId, deliveryId } = await begin();
    await attemptAllDue(ctx);
    for (let round = 0; round < 10; round += 1) {
      const reads = Array.from({ length: 8 }, () => getDelivery(ctx, webhook, deliveryId));
      const [again] = await Promise.all([redeliver(ctx, webhook, deliveryId), ...reads]);
      expect(again.status).toBe('pending');
      await attemptAllDue(ctx);
    }
    const { received } = fx.receiver;
    expect([received.length, new Set(received.map(({ body }) => body)).size]).toEqual([11, 1]);
    const { attempts } = await readDelivery(ctx, eventId);
    expect(attempts.map(({ number }) => number)).toEqual(Array(11).fill(1));
  });

  it('leaves a held delivery at its place in the order', async () => {
    const webhook = await beginFailing();
    const events = await raise(ctx, fx.orgId, 3);
    for (const eventId of events.slice(1).toReversed()) {
      const { _id } = await readDelivery(ctx, eventId);
      expect((await redeliver(ctx, webhook, _id)).status).toBe('held');
    }
    await enable(webhook._id);
    await drain(webhook._id);
    expect(fx.receiver.received.map(({ event }) => event.id)).toEqual(events);
  });

  it('says so when the event is gone already', async () => {
    const { webhook, eventId, deliveryId: _id } = await begin();
    clock.advance(7 * DAY_MS);
    await attemptAllDue(ctx, eventId);
    clock.advance(24 * DAY_MS);
    await purge(ctx, RETENTION);
    await expect(redeliver(ctx, webhook, _id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await getDelivery(ctx, webhook, _id)).toMatchObject({ delivery: { _id }, sent: null });
  });

  it('cancels what a deleted webhook had not finished, also what was planned while it was deleted', async () => {
    fx.receiver.behave({ status: 500 });
    const { webhookId, eventId } = await begin();
    await attemptAllDue(ctx);
    const [planned = ''] = await raise(ctx, fx.orgId);
    await webhookRows(ctx).deleteOne({ _id: webhookId });
    await attemptAllDue(ctx);
    await drain(webhookId);
    const cancelled = { status: 'cancelled', next_attempt_at: null };
    for (const event of [eventId, planned]) expect(await readDelivery(ctx, event)).toMatchObject(cancelled);
    clock.advance(30_000);
    expect(await attemptAllDue(ctx)).toBe(0);
    expect(fx.receiver.received).toHaveLength(1);
  });

  it('cancels what a deleted webhook held, for which a transaction that began before queues nothing', async () => {
    const { _id } = await beginFailing();
    const [before = ''] = await raise(ctx, fx.orgId);
    await raise(
      standingStillAfter(ctx, webhookRows, () => remove(_id)),
      fx.orgId,
    );
    expect(await statusOf(before)).toBe('cancelled');
    expect(await findDeliveries(ctx, { org_id: fx.orgId })).toHaveLength(1);
    expect(await dueRows(ctx).countDocuments({ key: _id })).toBe(0);
    expect(fx.receiver.received).toHaveLength(0);
  });

  it('is not held for a webhook that is enabled meanwhile', async () => {
    const { webhook, eventId, deliveryId } = await begin();
    await attemptAllDue(ctx);
    await fail(webhook._id);
    const slow = standingStillAfter(ctx, webhookRows, () => enable(webhook._id));
    expect((await redeliver(slow, webhook, deliveryId)).status).toBe('pending');
    expect(await statusOf(eventId)).toBe('pending');
  });

  it('cancels what a deleted webhook held also when another drain of it ends at that moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { _id } = await beginFailing();
      await raise(ctx, fx.orgId, 3);
      await enable(_id);
      // It fails again before anything was drained.
      await fail(_id);
      await Promise.all([drain(_id), deleteWebhook(ctx, fx.orgId, _id)]);
      // Until nothing is left, the task is there: whoever dies, the sweeper wakes it.
      const task = await dueRows(ctx).findOne({ _id: `drain-webhook ${_id}` });
      const left = await queuedDeliveryRows(ctx).countDocuments({ webhook_id: _id });
      expect([task === null, left > 0]).not.toEqual([true, true]);
      await drain(_id);
      expect(await queuedDeliveryRows(ctx).countDocuments({ webhook_id: _id })).toBe(0);
    }
  });

  it('forgets deliveries at the end of the retention, counted from when they finished, and never what is held', async () => {
    const { webhookId, eventId: old } = await begin();
    clock.advance(30 * DAY_MS);
    const [fresh = ''] = await raise(ctx, fx.orgId);
    await purge(ctx, RETENTION);
    expect(await findDeliveries(ctx, { event_id: old })).toHaveLength(1);
    clock.advance(1);
    await purge(ctx, RETENTION);
    expect(await findDeliveries(ctx, { event_id: old })).toEqual([]);
    expect(await findDeliveries(ctx, { event_id: fresh })).toHaveLength(1);
    // One that finishes a week after its event, and one that is held.
    clock.advance(7 * DAY_MS);
    await attemptAllDue(ctx, fresh);
    await fail(webhookId);
    const [held = ''] = await raise(ctx, fx.orgId);
    expect(await statusOf(held)).toBe('held');
    clock.advance(30 * DAY_MS - 1_000);
    await purge(ctx, RETENTION);
    expect(await findDeliveries(ctx, { event_id: fresh })).toHaveLength(1);
    clock.advance(2_000);
    await purge(ctx, RETENTION);
    expect(await findDeliveries(ctx, { event_id: fresh })).toEqual([]);
    clock.advance(365 * DAY_MS);
    await purge(ctx, RETENTION);
    expect(await statusOf(held)).toBe('held');
  });
});

it('a recovery holds as many as were counted, also more of one moment than are held in one step', async () => {
  const { _id: webhook_id } = await fx.webhook('http://127.0.0.1:9/');
  await raise(ctx, fx.orgId, 450);
  const queued = await queuedDeliveryRows(ctx).find({ webhook_id }).toArray();
  await deliveryRows(ctx).insertMany(queued.map((row) => finished(row, 'exhausted', clock.now())));
  await queuedDeliveryRows(ctx).deleteMany({ webhook_id });
  expect(await recoverDeliveries(ctx, fx.orgId, webhook_id, clock.now())).toBe(450);
  await holdExhausted(ctx, webhook_id);
  expect(await queuedDeliveryRows(ctx).countDocuments({ webhook_id, state: 'held' })).toBe(450);
});
