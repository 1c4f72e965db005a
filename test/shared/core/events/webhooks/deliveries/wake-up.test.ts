import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { deliverWebhookJob } from '../../../../../../shared/core/events/webhooks/deliveries/jobs.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { receivePublished } from '../../../../../../shared/core/events/webhooks/deliveries/published.ts';
import { endpointOf } from '../../../../../../shared/core/events/webhooks/sending/endpoint.ts';
import type { Context } from '../../../../../../shared/platform/context/context.ts';
import type { JobData } from '../../../../../../shared/platform/queues/job.ts';
import { deliverWebhook, retryWebhook } from '../../../../../../workers/index.ts';
import { sweepOnce } from '../../../../../../workers/sweeper.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { until } from '../../../../../support/harness.ts';
import { beforeBatches } from '../../../../../support/interleave.ts';
import { attemptAllDue, raise, readDelivery } from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;

let webhookId: string;
beforeEach(async () => {
  ({ _id: webhookId } = await fx.webhook(fx.receiver.url));
});

describe('a wake-up', () => {
  const findQueued = (webhook_id: string) => queuedDeliveryRows(ctx).find({ webhook_id }).toArray();
  async function myJobs(webhookId: string, queue = 'deliver-webhook') {
    await ctx.queues.drained();
    const jobs = await ctx.queues.of(queue).getJobs(['waiting', 'delayed']);
    return jobs.filter(({ data }) => data.webhook_id === webhookId).map(({ data }) => data);
  }

  it('is one for what a commit makes due at a webhook, and none is added while its job lives', async () => {
    await raise(ctx, fx.orgId, 30);
    const sizes = async () =>
      (await myJobs(webhookId)).map(({ delivery_ids }) => delivery_ids.length).toSorted((a, b) => a - b);
    expect(await sizes()).toEqual([10, 20]);
    clock.advance(5_000);
    await sweepOnce(ctx);
    expect(await sizes()).toEqual([10, 20]);
  });

  it('that comes again sends only what was not recorded, and leaves to its own what failed', async () => {
    const [first = '', failing = '', ...others] = await raise(ctx, fx.orgId, 5);
    const [job] = await myJobs(webhookId);
    await attemptAllDue(ctx, first);
    fx.receiver.behave(({ event }) => ({ status: event.id === failing ? 500 : 200 }));
    // Its worker died before the job was taken off the queue.
    for (const waitMs of [0, 0, 30_000]) {
      clock.advance(waitMs);
      expect(await deliverWebhook.handle(job, ctx)).toBeUndefined();
    }
    const ids = fx.receiver.received.map(({ event }) => event.id);
    expect(ids.toSorted()).toEqual([first, failing, ...others].toSorted());
  });

  it('leaves to the sweeper what it could not attempt, after all others', async () => {
    const events = await raise(ctx, fx.orgId, 5);
    const [job] = await myJobs(webhookId);
    if (!job) throw new Error('no job');
    const faulty = beforeBatches(ctx, (key, item) => {
      const isFirst = JSON.stringify(item).includes(job.delivery_ids[0] ?? '-');
      if (key === 'attempts' && isFirst) throw new Error('this one cannot be read');
    });
    await expect(deliverWebhook.handle(job, faulty)).rejects.toThrow('this one cannot be read');
    expect(fx.receiver.received).toHaveLength(4);
    clock.advance(5_000);
    await ctx.queues.of('deliver-webhook').remove((await findQueued(webhookId))[0]?.wake ?? '');
    await sweepOnce(ctx);
    const [again] = await myJobs(webhookId);
    expect(again).toEqual({ ...job, delivery_ids: [job.delivery_ids[0]], published: false });
    await deliverWebhook.handle(job, ctx);
    expect(fx.receiver.received.map(({ event }) => event.id).toSorted()).toEqual(events.toSorted());
  });

  it('is shared by retries that are due at almost the same time, and each is sent at its own', async () => {
    fx.receiver.behave({ status: 500 });
    await raise(ctx, fx.orgId, 25);
    // Another organization has as many that are due at the same time.
    const neighbour = await fx.tenant();
    const { _id: theirId } = await neighbour.webhook(`${fx.receiver.url}/neighbour`);
    await raise(ctx, neighbour.orgId, 25);
    await attemptAllDue(ctx);
    for (const id of [webhookId, theirId]) {
      const woken = (await myJobs(id, 'retry-webhook')).flatMap(({ delivery_ids }) => delivery_ids);
      const own = (await findQueued(id)).map(({ _id }) => _id);
      expect(woken.map(String).toSorted()).toEqual(own.toSorted());
    }
    const jobs = await myJobs(webhookId, 'retry-webhook');
    // As many as share one, beside those of the last transaction.
    expect(jobs.length).toBeLessThan(25);
    expect(jobs.flatMap(({ delivery_ids }) => delivery_ids)).toHaveLength(25);
    clock.advance(30_000);
    await Promise.all(jobs.map((job) => retryWebhook.handle(job, ctx)));
    const own = fx.receiver.received.filter(({ event }) => event.org_id === fx.orgId);
    const attempts = Map.groupBy(own, ({ event }) => event.id);
    expect(attempts.size).toBe(25);
    for (const sent of attempts.values())
      expect(sent.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
  });

  it('finds the whole list of an endpoint that refuses at once, as of one that answers', async () => {
    const own = await fx.tenant();
    const { _id } = await own.webhook('http://127.0.0.1:9/');
    const events = await raise(ctx, own.orgId, 20);
    await attemptAllDue(ctx);
    const first = await readDelivery(ctx, events[0] ?? '');
    expect(first.attempts.map(({ error }) => error)).toEqual(['connect']);
    expect(endpointOf(ctx, _id).mostInFlight).toBe(28);
  });

  it('never has more than 128 sent that are not recorded', async () => {
    const store = Promise.withResolvers<void>();
    const stalled = beforeBatches(ctx, (key) => key === 'delivery-outcomes' && store.promise);
    for (let index = 0; index < 10; index += 1) await raise(ctx, fx.orgId, 20);
    const jobs = await myJobs(webhookId);
    const handled = Promise.all(jobs.map((job) => deliverWebhook.handle(job, stalled)));
    await until(() => fx.receiver.received.length >= 128);
    // Another delivery's whole way, so that one more would have had the time for its own.
    const neighbour = await fx.tenant();
    await neighbour.webhook(`${fx.receiver.url}/neighbour`);
    const [event = ''] = await raise(ctx, neighbour.orgId);
    await attemptAllDue(ctx, event);
    expect(fx.receiver.received).toHaveLength(129);
    store.resolve();
    await handled;
    expect(fx.receiver.received).toHaveLength(201);
  });
});

describe('a wake-up that was published', () => {
  /** A worker that counts what it reads. */
  let hearer: Context;
  let reads = 0;
  let stopReceiving: () => void;

  beforeAll(async () => {
    hearer = beforeBatches(ctx, (key) => {
      if (key === 'attempts') reads += 1;
    });
    stopReceiving = receivePublished(hearer);
    const channel = `${ctx.queuePrefix}:deliver-webhook`;
    await until(async () => Number((await ctx.redis.queues.pubsub('NUMSUB', channel))[1]) > 0);
  });
  beforeEach(async () => {
    await deliverWebhook.handle(await raiseAndHear(), hearer);
    fx.receiver.received.length = 0;
    reads = 0;
  });
  afterAll(() => stopReceiving());

  /** The job of a new event: it was published before the job was added, on the same connection. */
  async function raiseAndHear(): Promise<JobData<typeof deliverWebhookJob>> {
    const [eventId = ''] = await raise(ctx, fx.orgId);
    const [row] = await queuedDeliveryRows(ctx).find({ event_id: eventId }).toArray();
    const queue = ctx.queues.of('deliver-webhook');
    const job = await until(async () => (await queue.getJob(row?.wake ?? '')) ?? null);
    if (!job) throw new Error('no job');
    await job.remove();
    return job.data;
  }

  it('is sent without being read, and asks the store when it comes again; one that was not published does, too', async () => {
    const first = await raiseAndHear();
    await deliverWebhook.handle(first, hearer);
    expect([fx.receiver.received.length, reads]).toEqual([1, 0]);
    await deliverWebhook.handle(first, hearer);
    const second = await raiseAndHear();
    await queuedDeliveryRows(ctx).deleteMany({ webhook_id: webhookId });
    await deliverWebhook.handle({ ...second, published: false }, hearer);
    expect([fx.receiver.received.length, reads]).toEqual([1, 2]);
  });

  it('that was published more than a second ago asks the store', async () => {
    const job = await raiseAndHear();
    await queuedDeliveryRows(ctx).deleteMany({ webhook_id: webhookId });
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 1_001);
    await deliverWebhook.handle(job, hearer);
    later.mockRestore();
    expect(fx.receiver.received).toHaveLength(0);
  });
});
