import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { deliverWebhookJob } from '../../../../../../shared/core/events/webhooks/deliveries/jobs.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { receivePublished } from '../../../../../../shared/core/events/webhooks/deliveries/published.ts';
import type { Context } from '../../../../../../shared/platform/context/context.ts';
import type { JobData } from '../../../../../../shared/platform/queues/job.ts';
import { deliverWebhook } from '../../../../../../workers/index.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { until } from '../../../../../support/harness.ts';
import { raise } from '../../../../../support/webhooks.ts';

/** Longer than a publication stands for the store. */
const STALE_MS = 1_050;
const fx = await storesFixture({ receiver: true, perTest: true });
const { ctx } = fx;
let webhookId: string;
/** A worker that counts what it reads. */
let hearer: Context;
let reads = 0;
let stopReceiving: () => void;

beforeAll(async () => {
  const submit: typeof ctx.batcher.submit = (key, item, batching) => {
    if (key === 'attempts') reads += 1;
    return ctx.batcher.submit(key, item, batching);
  };
  hearer = { ...ctx, batcher: { ...ctx.batcher, submit } };
  stopReceiving = receivePublished(hearer);
  const channel = `${ctx.queuePrefix}:deliver-webhook`;
  await until(async () => Number((await ctx.redis.queues.pubsub('NUMSUB', channel))[1]) > 0);
});
beforeEach(async () => {
  ({ _id: webhookId } = await fx.webhook(fx.receiver.url));
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

it('a first attempt that was published is sent without being read', async () => {
  await deliverWebhook.handle(await raiseAndHear(), hearer);
  expect(fx.receiver.received).toHaveLength(1);
  expect(reads).toBe(0);
});

it('the same wake-up again, or one that was not published, asks the store', async () => {
  const first = await raiseAndHear();
  await deliverWebhook.handle(first, hearer);
  await deliverWebhook.handle(first, hearer);
  const second = await raiseAndHear();
  await queuedDeliveryRows(ctx).deleteMany({ webhook_id: webhookId });
  await deliverWebhook.handle({ ...second, published: false }, hearer);
  expect(fx.receiver.received).toHaveLength(1);
  expect(reads).toBe(2);
});

it('what was published more than a second ago is read', async () => {
  const job = await raiseAndHear();
  await queuedDeliveryRows(ctx).deleteMany({ webhook_id: webhookId });
  await new Promise((resolve) => setTimeout(resolve, STALE_MS));
  await deliverWebhook.handle(job, hearer);
  expect(fx.receiver.received).toHaveLength(0);
});
