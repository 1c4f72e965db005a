import { describe, expect, it } from 'vitest';
import { deliverWebhook, retryWebhook } from '../../../../../../workers/index.ts';
import { sweepOnce } from '../../../../../../workers/sweeper.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { attemptAllDue, raise, readDelivery } from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;

describe('the schedule', () => {
  it('is 0 s, 30 s, 5 min, 30 min and 2 h after the failure before, exactly', async () => {
    fx.receiver.behave({ status: 500, body: 'not today' });
    await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    const times: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await attemptAllDue(ctx);
      times.push(clock.now());
      const { next_attempt_at } = await readDelivery(ctx, eventId);
      if (!next_attempt_at) break;
      clock.set(next_attempt_at.getTime() - 1);
      expect(await attemptAllDue(ctx)).toBe(0);
      clock.advance(1);
    }
    const waits = times.map((at, index) => at - (times[index - 1] ?? at));
    expect(waits).toEqual([0, 30_000, 300_000, 1_800_000, 7_200_000]);
    const { received } = fx.receiver;
    const numbers = received.map(({ headers }) => headers['x-service-attempt']).join();
    expect([numbers, new Set(received.map(({ body }) => body)).size]).toEqual(['1,2,3,4,5', 1]);
    expect(new Set(received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5);
    expect(await readDelivery(ctx, eventId)).toMatchObject({
      status: 'exhausted',
      attempts: [1, 2, 3, 4, 5].map((number) => ({
        number,
        status: 500,
        error: 'http',
        answer: 'not today',
      })),
    });
  });

  it('wakes each retry a little early, and sends it when it is due', async () => {
    fx.receiver.behave({ status: 500 });
    await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    const { _id, webhook_id } = await readDelivery(ctx, eventId);
    await ctx.queues.drained();
    expect((await ctx.queues.of('retry-webhook').getJob(`${_id}-2`))?.delay).toBe(29_750);
    const job = { webhook_id, delivery_ids: [_id], wake: `${_id}-2`, published: false };
    const dueMs = clock.now() + 30_000;
    expect(await retryWebhook.handle(job, ctx)).toEqual({ notBeforeMs: dueMs - 250 });
    clock.set(dueMs - 50);
    expect(await retryWebhook.handle(job, ctx)).toEqual({ notBeforeMs: dueMs });
    expect(fx.receiver.received).toHaveLength(1);
    const handled = retryWebhook.handle(job, ctx);
    clock.set(dueMs);
    expect(await handled).toBeUndefined();
    expect(fx.receiver.received).toHaveLength(2);
  });

  it('records an attempt once, however many workers run it', async () => {
    fx.receiver.behave({ status: 500, afterMs: 30 });
    await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await Promise.all(Array.from({ length: 4 }, () => attemptAllDue(ctx, eventId)));
    const delivery = await readDelivery(ctx, eventId);
    expect(delivery.attempts).toHaveLength(1);
    expect(delivery.next_attempt_at).toEqual(new Date(clock.now() + 30_000));
  });

  it('finds what is due when Redis has lost every job', async () => {
    const { _id: webhookId } = await fx.webhook(fx.receiver.url);
    const events = await raise(ctx, fx.orgId, 20);
    await ctx.queues.drained();
    await ctx.queues.of('deliver-webhook').obliterate({ force: true });
    clock.advance(5_000);
    await sweepOnce(ctx);
    await ctx.queues.drained();
    const jobs = await ctx.queues.of('deliver-webhook').getWaiting();
    const mine = jobs.filter(({ data }) => data.webhook_id === webhookId);
    expect(mine.flatMap(({ data }) => data.delivery_ids)).toHaveLength(20);
    await Promise.all(mine.map(({ data }) => deliverWebhook.handle(data, ctx)));
    expect(fx.receiver.received.map(({ event }) => event.id).toSorted()).toEqual(events.toSorted());
  });
});
