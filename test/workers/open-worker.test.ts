import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectRedis, type RedisClient } from '../../shared/platform/redis/connect.ts';
import { deliverWebhook } from '../../workers/index.ts';
import { startWorker } from '../../workers/worker.ts';
import { makeTenant } from '../support/factories.ts';
import { openTestContext, type TestContext, until } from '../support/harness.ts';
import { startReceiver } from '../support/receiver.ts';
import { makeWebhook, raise, readDelivery } from '../support/webhooks.ts';

let ctx: TestContext;
let connection: RedisClient;
beforeAll(async () => {
  ctx = await openTestContext();
  connection = connectRedis(ctx.config, 'worker');
});
afterAll(async () => {
  connection.disconnect();
  await ctx.close();
});

it('an endpoint that answers after 7 s gets each request once, though a lock lasts 5 s', async () => {
  const receiver = await startReceiver({ status: 200, afterMs: 7_000 });
  const workers = [1, 2].map(() => startWorker(deliverWebhook, ctx, connection));
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  const { orgId } = await makeTenant(ctx);
  await makeWebhook(ctx, orgId, receiver.url);
  const events = await raise(ctx, orgId, 3);
  await until(
    async () => {
      const deliveries = await Promise.all(events.map((id) => readDelivery(ctx, id)));
      return deliveries.every(({ status }) => status === 'succeeded');
    },
    { timeoutMs: 20_000, what: 'all to be recorded' },
  );
  await Promise.all(workers.map((worker) => worker.close()));
  expect(receiver.received.map(({ event }) => event.id).toSorted()).toEqual(events.toSorted());
  await receiver.close();
}, 40_000);
