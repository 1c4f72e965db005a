import { describe, expect, test } from 'vitest';
import {
  type QueuedDelivery,
  queuedDeliveryRows,
} from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { enableWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { endpointOf, wakeMore } from '../../../../../../shared/core/events/webhooks/sending/endpoint.ts';
import {
  failingWebhooks,
  unsentAlerts,
} from '../../../../../../shared/core/events/webhooks/sending/metrics.ts';
import { sweepDeliveries } from '../../../../../../shared/core/events/webhooks/sending/sweep-deliveries.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { attemptAlone } from '../../../../../support/webhooks.ts';

const { ctx, orgId, webhook } = await storesFixture();

const dueAt = (webhook_id: string, at: number): QueuedDelivery => ({
  _id: `dlv_${webhook_id}_${at}`,
  event_id: `evt_${at}`,
  webhook_id,
  org_id: 'org_swept',
  type: 'session.ended',
  body: '{}',
  state: 'pending',
  at,
  round: 1,
  attempt: 1,
  wake: `${webhook_id}-${at}`,
  position: at,
  attempts: [],
  created_at: new Date(at),
});

test('the list of one webhook hides none of another, also when it is longer than what is read at once', async () => {
  const lists = [...[1, 2, 3, 4, 5, 6].map((at) => dueAt('whk_long', at)), dueAt('whk_short', 7)];
  await queuedDeliveryRows(ctx).insertMany(lists);
  // Four for each webhook.
  expect(await sweepDeliveries(ctx, 8)).toBe(5);
});

test('a webhook that fails is in the gauge from the next sweep on, and gone from it once it is enabled', async () => {
  const { _id } = await webhook('https://example.com/');
  const shown = async () => {
    await sweepDeliveries(ctx);
    const gauges = [failingWebhooks(ctx), unsentAlerts(ctx)];
    const found = await Promise.all(gauges.map((gauge) => gauge.get()));
    return found.map(({ values }) => values[0]?.value);
  };
  expect(await shown()).toEqual([0, 0]);
  await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing', failing_since: new Date() } });
  expect(await shown()).toEqual([1, 1]);
  await enableWebhook(ctx, orgId, _id);
  expect(await shown()).toEqual([0, 0]);
});

describe('webhooks whose secrets cannot be decrypted', () => {
  const DUE_MS = Date.now() - 60_000;
  /** With so many due rows of its own, twenty for each wake-up. */
  async function makeBroken(rows: number): Promise<string> {
    const { _id } = await webhook('https://example.com/');
    await webhookRows(ctx).updateOne({ _id }, { $set: { secret: 'v1.gone.AAAA' } });
    const due = Array.from({ length: rows }, (_, at) => ({ ...dueAt(_id, at), at: DUE_MS }));
    const woken = due.map((row, index) => ({ ...row, wake: `${_id}-${Math.floor(index / 20)}` }));
    await queuedDeliveryRows(ctx).insertMany(woken);
    return _id;
  }
  const attemptOne = (webhook_id: string) =>
    attemptAlone(ctx, { _id: `dlv_${webhook_id}_0`, webhook_id, wake: `${webhook_id}-0` });

  test('hide nothing of others from the sweep, however much of theirs is due', async () => {
    await queuedDeliveryRows(ctx).deleteMany({});
    const broken = [1, 2, 3].map(() => makeBroken(2_000));
    for (const each of broken) await expect(attemptOne(await each)).rejects.toThrow('WEBHOOK_SECRET_KEYS');
    const lost = { ...dueAt('whk_healthy', 1), at: DUE_MS + 1 };
    await queuedDeliveryRows(ctx).insertOne(lost);
    expect(await sweepDeliveries(ctx), 'what was woken').toBe(1);
    await ctx.queues.drained();
    expect((await ctx.queues.of('deliver-webhook').getJob(lost.wake))?.data.webhook_id).toBe('whk_healthy');
  });

  test('are not fetched again and again, when more is due than a process takes at once', async () => {
    const webhookId = await makeBroken(40);
    await expect(attemptOne(webhookId)).rejects.toThrow('WEBHOOK_SECRET_KEYS');
    const endpoint = endpointOf(ctx, webhookId);
    endpoint.hasMoreDue = true;
    await wakeMore(ctx, endpoint);
    await ctx.queues.drained();
    expect(await ctx.queues.of('deliver-webhook').getJob(`${webhookId}-0`)).toBeUndefined();
    expect(endpoint.hasMoreDue).toBe(false);
  });
});
