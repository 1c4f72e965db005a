import { afterEach, beforeEach, expect, it } from 'vitest';
import { darkenNext } from '../support/drills/darken.ts';
import { type OwnMongo, startOwnMongo } from '../support/drills/own-mongo.ts';
import { type NetProxy, startProxy } from '../support/drills/proxy.ts';
import { makeTenant } from '../support/factories.ts';
import { openTestContext, type TestContext } from '../support/harness.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { attemptAlone, makeWebhook, raise, readDelivery } from '../support/webhooks.ts';

/** How long one organization may notice that another one's connection has gone dark. */
const GOES_ON_WITHIN_MS = 20_000;

let own: OwnMongo;
let proxy: NetProxy;
let ctx: TestContext;
let receiver: Receiver;
beforeEach(async () => {
  own = await startOwnMongo();
  proxy = await startProxy(Number(new URL(own.url).port));
  ctx = await openTestContext({ mongoUrl: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true` });
  receiver = await startReceiver();
});
afterEach(async () => {
  proxy.reset();
  await ctx.close();
  await receiver.close();
  await proxy.close();
  await own.stop();
});

/** An event of an organization of its own, and its delivery. */
async function makeDelivery() {
  const { orgId } = await makeTenant(ctx);
  const { _id: webhookId } = await makeWebhook(ctx, orgId, receiver.url);
  const [eventId = ''] = await raise(ctx, orgId);
  const { _id } = await readDelivery(ctx, eventId);
  return { eventId, due: { _id, webhook_id: webhookId, wake: `${_id}-1` } };
}

it.each([
  ['what is due is read', 'queued_deliveries'],
  ['an outcome is committed', 'commitTransaction'],
])(
  'a connection that goes dark while %s of one organization does not hold up the deliveries of another',
  async (_step, letters) => {
    const [first, second] = [await makeDelivery(), await makeDelivery()];
    const isDark = darkenNext(proxy, letters);
    const doomed = attemptAlone(ctx, first.due).catch(() => undefined);
    await isDark;
    const startedMs = performance.now();
    await attemptAlone(ctx, second.due);
    expect(performance.now() - startedMs).toBeLessThan(GOES_ON_WITHIN_MS);
    expect((await readDelivery(ctx, second.eventId)).status).toBe('succeeded');
    proxy.reset();
    await doomed;
  },
);
