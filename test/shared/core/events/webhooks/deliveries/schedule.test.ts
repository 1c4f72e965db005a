import { describe, expect, it } from 'vitest';
import { deliverWebhook, retryWebhook } from '../../../../../../workers/index.ts';
import { sweepOnce } from '../../../../../../workers/sweeper.ts';
import { webhookFixture } from '../../../../../support/webhook-fixture.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery } from '../../../../../support/webhooks.ts';

const fixture = webhookFixture();
const { clock } = fixture;

describe('the schedule', () => {
  it('is 0 s, 30 s, 5 min, 30 min and 2 h after the failure before, exactly', async () => {
    fixture.receiver.behave({ status: 500, body: 'not today' });
    await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const [eventId = ''] = await raise(fixture.ctx, fixture.orgId);
    const times: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await attemptAllDue(fixture.ctx);
      times.push(clock.now());
      const { next_attempt_at } = await readDelivery(fixture.ctx, eventId);
      if (!next_attempt_at) break;
      clock.set(next_attempt_at.getTime() - 1);
      expect(await attemptAllDue(fixture.ctx)).toBe(0);
      clock.advance(1);
    }
    const waits = times.map((at, index) => at - (times[index - 1] ?? at));
    expect(waits).toEqual([0, 30_000, 300_000, 1_800_000, 7_200_000]);
    expect(fixture.receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    expect(new Set(fixture.receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(fixture.receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(
      5,
    );
    const delivery = await readDelivery(fixture.ctx, eventId);
    expect(delivery.status).toBe('exhausted');
    expect(
      delivery.attempts.map(({ number, status, error, answer }) => [number, status, error, answer]),
    ).toEqual([1, 2, 3, 4, 5].map((number) => [number, 500, 'http', 'not today']));
  });

  it('wakes each retry a little early, and sends it when it is due', async () => {
    fixture.receiver.behave({ status: 500 });
    await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const [eventId = ''] = await raise(fixture.ctx, fixture.orgId);
    await attemptAllDue(fixture.ctx);
    const { _id, webhook_id } = await readDelivery(fixture.ctx, eventId);
    await fixture.ctx.queues.drained();
    expect((await fixture.ctx.queues.of('retry-webhook').getJob(`${_id}-2`))?.delay).toBe(29_750);
    const job = { webhook_id, delivery_ids: [_id], wake: `${_id}-2`, published: false };
    const dueMs = clock.now() + 30_000;
    expect(await retryWebhook.handle(job, fixture.ctx)).toEqual({ notBeforeMs: dueMs - 250 });
    clock.set(dueMs - 50);
    expect(await retryWebhook.handle(job, fixture.ctx)).toEqual({ notBeforeMs: dueMs });
    expect(fixture.receiver.received).toHaveLength(1);
    const handled = retryWebhook.handle(job, fixture.ctx);
    clock.set(dueMs);
    expect(await handled).toBeUndefined();
    expect(fixture.receiver.received).toHaveLength(2);
  });

  it('records an attempt once, however many workers run it', async () => {
    fixture.receiver.behave({ status: 500, afterMs: 30 });
    await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const [eventId = ''] = await raise(fixture.ctx, fixture.orgId);
    await Promise.all(Array.from({ length: 4 }, () => attemptAllDue(fixture.ctx, eventId)));
    const delivery = await readDelivery(fixture.ctx, eventId);
    expect(delivery.attempts).toHaveLength(1);
    expect(delivery.next_attempt_at).toEqual(new Date(clock.now() + 30_000));
  });

  it('finds what is due when Redis has lost every job', async () => {
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const events = await raise(fixture.ctx, fixture.orgId, 20);
    await fixture.ctx.queues.drained();
    await fixture.ctx.queues.of('deliver-webhook').obliterate({ force: true });
    clock.advance(5_000);
    await sweepOnce(fixture.ctx);
    await fixture.ctx.queues.drained();
    const jobs = await fixture.ctx.queues.of('deliver-webhook').getWaiting();
    const mine = jobs.filter(({ data }) => data.webhook_id === webhookId);
    expect(mine.flatMap(({ data }) => data.delivery_ids)).toHaveLength(20);
    await Promise.all(mine.map(({ data }) => deliverWebhook.handle(data, fixture.ctx)));
    expect(fixture.receiver.received.map(({ event }) => event.id).toSorted()).toEqual(events.toSorted());
  });
});
