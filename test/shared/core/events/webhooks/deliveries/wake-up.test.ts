import { describe, expect, it } from 'vitest';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { endpointOf } from '../../../../../../shared/core/events/webhooks/sending/endpoint.ts';
import { deliverWebhook, retryWebhook } from '../../../../../../workers/index.ts';
import { sweepOnce } from '../../../../../../workers/sweeper.ts';
import { makeTenant } from '../../../../../support/factories.ts';
import { until } from '../../../../../support/harness.ts';
import { webhookFixture } from '../../../../../support/webhook-fixture.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery } from '../../../../../support/webhooks.ts';

const fixture = webhookFixture();
const { clock } = fixture;

describe('a wake-up', () => {
  async function myJobs(webhookId: string, queue = 'deliver-webhook') {
    await fixture.ctx.queues.drained();
    const jobs = await fixture.ctx.queues.of(queue).getJobs(['waiting', 'delayed']);
    return jobs.filter(({ data }) => data.webhook_id === webhookId).map(({ data }) => data);
  }

  it('is one for what a commit makes due at a webhook, and none is added while its job lives', async () => {
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    await raise(fixture.ctx, fixture.orgId, 30);
    const sizes = async () => (await myJobs(webhookId)).map(({ delivery_ids }) => delivery_ids.length);
    expect((await sizes()).toSorted((a, b) => a - b)).toEqual([10, 20]);
    clock.advance(5_000);
    await sweepOnce(fixture.ctx);
    expect((await sizes()).toSorted((a, b) => a - b)).toEqual([10, 20]);
  });

  it('that comes again sends only what was not recorded', async () => {
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const [first = '', ...others] = await raise(fixture.ctx, fixture.orgId, 5);
    const [job] = await myJobs(webhookId);
    if (!job) throw new Error('no job');
    await attemptAllDue(fixture.ctx, first);
    await deliverWebhook.handle(job, fixture.ctx);
    await deliverWebhook.handle(job, fixture.ctx);
    const ids = fixture.receiver.received.map(({ event }) => event.id);
    expect(ids.toSorted()).toEqual([first, ...others].toSorted());
  });

  it('that comes again leaves to its own what failed and was recorded', async () => {
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    fixture.receiver.behave({ status: 500 });
    await raise(fixture.ctx, fixture.orgId, 2);
    const [job] = await myJobs(webhookId);
    expect(await deliverWebhook.handle(job, fixture.ctx)).toBeUndefined();
    // Its worker died before the job was taken off the queue.
    expect(await deliverWebhook.handle(job, fixture.ctx)).toBeUndefined();
    clock.advance(30_000);
    await deliverWebhook.handle(job, fixture.ctx);
    expect(fixture.receiver.received).toHaveLength(2);
  });

  it('leaves to the sweeper what it could not attempt, after all others', async () => {
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const events = await raise(fixture.ctx, fixture.orgId, 5);
    const [job] = await myJobs(webhookId);
    if (!job) throw new Error('no job');
    const submit: typeof fixture.ctx.batcher.submit = async (key, item, batching) => {
      const isFirst = JSON.stringify(item).includes(job.delivery_ids[0] ?? '-');
      if (key === 'attempts' && isFirst) throw new Error('this one cannot be read');
      return fixture.ctx.batcher.submit(key, item, batching);
    };
    const faulty = { ...fixture.ctx, batcher: { ...fixture.ctx.batcher, submit } };
    await expect(deliverWebhook.handle(job, faulty)).rejects.toThrow('this one cannot be read');
    expect(fixture.receiver.received).toHaveLength(4);
    clock.advance(5_000);
    await fixture.ctx.queues.of('deliver-webhook').remove((await findQueued(webhookId))[0]?.wake ?? '');
    await sweepOnce(fixture.ctx);
    const [again] = await myJobs(webhookId);
    expect(again).toEqual({ ...job, delivery_ids: [job.delivery_ids[0]], published: false });
    await deliverWebhook.handle(job, fixture.ctx);
    expect(fixture.receiver.received.map(({ event }) => event.id).toSorted()).toEqual(events.toSorted());
  });

  it('is shared by retries that are due at almost the same time, and each is sent at its own', async () => {
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    fixture.receiver.behave({ status: 500 });
    await raise(fixture.ctx, fixture.orgId, 25);
    await attemptAllDue(fixture.ctx);
    const jobs = await myJobs(webhookId, 'retry-webhook');
    // As many as share one, beside those of the last transaction.
    expect(jobs.length).toBeLessThan(25);
    expect(jobs.flatMap(({ delivery_ids }) => delivery_ids)).toHaveLength(25);
    clock.advance(30_000);
    await Promise.all(jobs.map((job) => retryWebhook.handle(job, fixture.ctx)));
    const attempts = Map.groupBy(fixture.receiver.received, ({ event }) => event.id);
    expect(attempts.size).toBe(25);
    for (const sent of attempts.values())
      expect(sent.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
  });

  it('finds the whole list of an endpoint that refuses at once, as of one that answers', async () => {
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, 'http://127.0.0.1:9/');
    const events = await raise(fixture.ctx, fixture.orgId, 20);
    await attemptAllDue(fixture.ctx);
    const first = await readDelivery(fixture.ctx, events[0] ?? '');
    expect(first.attempts.map(({ error }) => error)).toEqual(['connect']);
    expect(endpointOf(fixture.ctx, webhookId).mostInFlight).toBe(28);
  });

  async function findQueued(webhookId: string) {
    return queuedDeliveryRows(fixture.ctx).find({ webhook_id: webhookId }).toArray();
  }

  it('never has more than 128 sent that are not recorded', async () => {
    const store = Promise.withResolvers<void>();
    const submit: typeof fixture.ctx.batcher.submit = async (key, item, batching) => {
      if (key === 'delivery-outcomes') await store.promise;
      return fixture.ctx.batcher.submit(key, item, batching);
    };
    const stalled = { ...fixture.ctx, batcher: { ...fixture.ctx.batcher, submit } };
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    for (let index = 0; index < 10; index += 1) await raise(fixture.ctx, fixture.orgId, 20);
    const jobs = await myJobs(webhookId);
    const handled = Promise.all(jobs.map((job) => deliverWebhook.handle(job, stalled)));
    await until(() => fixture.receiver.received.length >= 128);
    // Another delivery's whole way, so that one more would have had the time for its own.
    const neighbour = await makeTenant(fixture.ctx);
    await makeWebhook(fixture.ctx, neighbour.orgId, `${fixture.receiver.url}/neighbour`);
    const [event = ''] = await raise(fixture.ctx, neighbour.orgId);
    await attemptAllDue(fixture.ctx, event);
    expect(fixture.receiver.received).toHaveLength(129);
    store.resolve();
    await handled;
    expect(fixture.receiver.received).toHaveLength(201);
  });
});
