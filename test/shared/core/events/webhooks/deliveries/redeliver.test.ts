import { describe, expect, it } from 'vitest';
import { getDelivery } from '../../../../../../shared/core/events/webhooks/deliveries/find-delivery.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { redeliver } from '../../../../../../shared/core/events/webhooks/deliveries/redeliver.ts';
import { deleteWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { enableWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { purge } from '../../../../../../shared/core/retention/purge.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { RETENTION } from '../../../../../../shared/tables/retention.ts';
import { drainWebhook } from '../../../../../../workers/index.ts';
import { attemptAllDue, findDeliveries, raise, readDelivery } from '../../../../../support/webhooks.ts';

const DAY_MS = 86_400_000;

import { storesFixture } from '../../../../../support/fixture.ts';
import { standingStillAfter } from '../../../../../support/interleave.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;

describe('redelivery and removal', () => {
  it('sends the same bytes again from attempt 1, and logs both', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    const { _id } = await readDelivery(ctx, eventId);
    expect((await redeliver(ctx, webhook, _id)).status).toBe('pending');
    await attemptAllDue(ctx);
    const [first, second] = fx.receiver.received;
    expect(second?.body).toBe(first?.body);
    expect((await readDelivery(ctx, eventId)).attempts.map(({ number }) => number)).toEqual([1, 1]);
  });

  it('leaves a held delivery at its place in the order', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    await webhookRows(ctx).updateOne({ _id: webhook._id }, { $set: { status: 'failing' } });
    const events = await raise(ctx, fx.orgId, 3);
    for (const eventId of events.slice(1).toReversed()) {
      const { _id } = await readDelivery(ctx, eventId);
      expect((await redeliver(ctx, webhook, _id)).status).toBe('held');
    }
    await enableWebhook(ctx, fx.orgId, webhook._id);
    await drainWebhook.handle({ key: webhook._id }, ctx);
    expect(fx.receiver.received.map(({ event }) => event.id)).toEqual(events);
  });

  it('is read whole while it is sent again and finished', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    const { _id } = await readDelivery(ctx, eventId);
    for (let round = 0; round < 10; round += 1) {
      const reads = Array.from({ length: 8 }, () => getDelivery(ctx, webhook, _id));
      const [again] = await Promise.all([redeliver(ctx, webhook, _id), ...reads]);
      expect(again.status).toBe('pending');
      await attemptAllDue(ctx);
    }
  });

  it('says so when the event is gone already', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    clock.advance(7 * DAY_MS);
    await attemptAllDue(ctx, eventId);
    clock.advance(24 * DAY_MS);
    await purge(ctx, RETENTION);
    const { _id } = await readDelivery(ctx, eventId);
    await expect(redeliver(ctx, webhook, _id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await getDelivery(ctx, webhook, _id)).toMatchObject({ delivery: { _id }, sent: null });
  });

  it('cancels what a deleted webhook had not finished', async () => {
    fx.receiver.behave({ status: 500 });
    const { _id } = await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    await deleteWebhook(ctx, fx.orgId, _id);
    await drainWebhook.handle({ key: _id }, ctx);
    expect(await readDelivery(ctx, eventId)).toMatchObject({
      status: 'cancelled',
      next_attempt_at: null,
    });
    clock.advance(30_000);
    expect(await attemptAllDue(ctx)).toBe(0);
    expect(fx.receiver.received).toHaveLength(1);
  });

  it('cancels what a deleted webhook held, for which a transaction that began before queues nothing', async () => {
    const { _id } = await fx.webhook(fx.receiver.url);
    await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
    const [before = ''] = await raise(ctx, fx.orgId);
    const remove = async () => {
      await deleteWebhook(ctx, fx.orgId, _id);
      await drainWebhook.handle({ key: _id }, ctx);
    };
    await raise(standingStillAfter(ctx, webhookRows, remove), fx.orgId);
    expect((await readDelivery(ctx, before)).status).toBe('cancelled');
    expect(await findDeliveries(ctx, { org_id: fx.orgId })).toHaveLength(1);
    expect(await dueRows(ctx).countDocuments({ key: _id })).toBe(0);
    expect(fx.receiver.received).toHaveLength(0);
  });

  it('is not held for a webhook that is enabled meanwhile', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    await webhookRows(ctx).updateOne({ _id: webhook._id }, { $set: { status: 'failing' } });
    const { _id } = await readDelivery(ctx, eventId);
    const enable = () => enableWebhook(ctx, fx.orgId, webhook._id);
    const slow = standingStillAfter(ctx, webhookRows, enable);
    expect((await redeliver(slow, webhook, _id)).status).toBe('pending');
    expect((await readDelivery(ctx, eventId)).status).toBe('pending');
  });

  it('cancels what a deleted webhook held also when another drain of it ends at that moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { _id } = await fx.webhook(fx.receiver.url);
      await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
      await raise(ctx, fx.orgId, 3);
      await enableWebhook(ctx, fx.orgId, _id);
      // It fails again before anything was drained.
      await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
      await Promise.all([drainWebhook.handle({ key: _id }, ctx), deleteWebhook(ctx, fx.orgId, _id)]);
      // Until nothing is left, the task is there: whoever dies, the sweeper wakes it.
      const task = await dueRows(ctx).findOne({ _id: `drain-webhook ${_id}` });
      const left = await queuedDeliveryRows(ctx).countDocuments({ webhook_id: _id });
      expect([task === null, left > 0]).not.toEqual([true, true]);
      await drainWebhook.handle({ key: _id }, ctx);
      expect(await queuedDeliveryRows(ctx).countDocuments({ webhook_id: _id })).toBe(0);
    }
  });

  it('cancels a delivery that was planned while its webhook was deleted', async () => {
    const { _id } = await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await webhookRows(ctx).deleteOne({ _id });
    await attemptAllDue(ctx);
    await drainWebhook.handle({ key: _id }, ctx);
    expect((await readDelivery(ctx, eventId)).status).toBe('cancelled');
    expect(fx.receiver.received).toHaveLength(0);
  });

  it('forgets deliveries at the end of the retention, counted from when they finished, and never what is held', async () => {
    await fx.webhook(fx.receiver.url);
    const [old = ''] = await raise(ctx, fx.orgId);
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
    await webhookRows(ctx).updateOne({ org_id: fx.orgId }, { $set: { status: 'failing' } });
    const [held = ''] = await raise(ctx, fx.orgId);
    expect((await readDelivery(ctx, held)).status).toBe('held');
    clock.advance(30 * DAY_MS - 1_000);
    await purge(ctx, RETENTION);
    expect(await findDeliveries(ctx, { event_id: fresh })).toHaveLength(1);
    clock.advance(2_000);
    await purge(ctx, RETENTION);
    expect(await findDeliveries(ctx, { event_id: fresh })).toEqual([]);
    clock.advance(365 * DAY_MS);
    await purge(ctx, RETENTION);
    expect((await readDelivery(ctx, held)).status).toBe('held');
  });
});
