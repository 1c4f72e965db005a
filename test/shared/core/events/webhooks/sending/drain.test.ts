import { beforeEach, describe, expect, it } from 'vitest';
import { enableWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { drainWebhookJob } from '../../../../../../shared/core/events/webhooks/endpoints/jobs.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { drainDeliveries } from '../../../../../../shared/core/events/webhooks/sending/drain-deliveries.ts';
import { dueJobRow } from '../../../../../../workers/job-row.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { until } from '../../../../../support/harness.ts';
import { beforeBatches } from '../../../../../support/interleave.ts';
import { startReceiver } from '../../../../../support/receiver.ts';
import { runWorkers } from '../../../../../support/run-workers.ts';
import { attemptAllDue, raise, readDelivery, statusesOf } from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;
let webhookId: string;
let held: string[];
beforeEach(async () => {
  ({ _id: webhookId } = await fx.webhook(fx.receiver.url));
  await webhookRows(ctx).updateOne({ _id: webhookId }, { $set: { status: 'failing' } });
  held = [];
  for (let index = 0; index < 6; index += 1) {
    held.push(...(await raise(ctx, fx.orgId)));
    clock.advance(1);
  }
  await enableWebhook(ctx, fx.orgId, webhookId);
});

/** A worker that dies when it begins a batch of this kind for the n-th time. */
function dyingAt(kind: string, nth: number) {
  let batches = 0;
  return beforeBatches(ctx, (key) => {
    if (key === kind) batches += 1;
    if (key === kind && batches >= nth) throw new Error('it died');
  });
}

const arrivals = () => fx.receiver.received.map(({ event }) => held.indexOf(event.id));
const expectSent = async () => expect(new Set(await statusesOf(ctx, held))).toEqual(new Set(['succeeded']));

describe('what was held arrives in the order of its events', () => {
  it.each([
    ['reads an attempt', 'attempts', [0, 1, 2, 3, 4, 5]],
    ['records an outcome, after the request', 'delivery-outcomes', [0, 1, 2, 2, 3, 4, 5]],
  ])('also when the drain dies as it %s', async (_when, kind, expected) => {
    await expect(drainDeliveries(dyingAt(kind, 3), webhookId)).rejects.toThrow('it died');
    clock.advance(6_000);
    await drainDeliveries(ctx, webhookId);
    clock.advance(20_000);
    await attemptAllDue(ctx);
    expect(arrivals()).toEqual(expected);
    expect(fx.receiver.received.every(({ headers }) => headers['x-service-attempt'] === '1')).toBe(true);
    await expectSent();
  });

  it('also when a second drain begins while the first one is at it', async () => {
    fx.receiver.behave({ status: 200, afterMs: 20 });
    await Promise.all([drainDeliveries(ctx, webhookId), drainDeliveries(ctx, webhookId)]);
    const sent = arrivals();
    expect([...new Set(sent)]).toEqual([0, 1, 2, 3, 4, 5]);
    // The first one ends: only what it had under way may be sent twice.
    expect(sent.length).toBeLessThanOrEqual(7);
    await expectSent();
  });

  it('in turns, between which those of others drain', async () => {
    const other = await startReceiver();
    const tenant = await fx.tenant();
    const { _id } = await tenant.webhook(other.url);
    await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
    await raise(ctx, tenant.orgId);
    await enableWebhook(ctx, tenant.orgId, _id);
    fx.receiver.behave({ status: 200, afterMs: 100 });
    const work = (_ctx: unknown, key: string) => drainDeliveries(ctx, key, 0);
    const stop = await runWorkers(ctx, dueJobRow(drainWebhookJob, { concurrency: 1, work }));
    await until(() => other.received.length === 1);
    expect(fx.receiver.received.length).toBeLessThan(6);
    await until(() => fx.receiver.received.length === 6);
    expect(arrivals()).toEqual([0, 1, 2, 3, 4, 5]);
    await stop();
    await other.close();
  });

  it('and one that fails goes on by the schedule while the next ones arrive', async () => {
    fx.receiver.behave(({ event }) => ({ status: event.id === held[1] ? 500 : 200 }));
    await drainDeliveries(ctx, webhookId);
    expect(arrivals()).toEqual([0, 1, 2, 3, 4, 5]);
    const failed = await readDelivery(ctx, held[1] ?? '');
    expect([failed.status, failed.next_attempt_at]).toEqual(['pending', new Date(clock.now() + 30_000)]);
  });
});
