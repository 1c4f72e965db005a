import { afterAll, beforeAll, expect, it } from 'vitest';
import { expireHeld } from '../../../../shared/webhooks/deliveries/expire-held.ts';
import { listDeliveries } from '../../../../shared/webhooks/deliveries/list-deliveries.ts';
import { listWebhooks } from '../../../../shared/webhooks/deliveries/list-webhooks.ts';
import { enableWebhook } from '../../../../shared/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../../../shared/webhooks/endpoints/model.ts';
import { drainDeliveries } from '../../../../shared/webhooks/sending/drain-deliveries.ts';
import { makeTenant } from '../../../support/factories.ts';
import { createTestClock, openTestContext, type TestContext } from '../../../support/harness.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery } from '../../../support/webhooks.ts';

const clock = createTestClock(Date.parse('2026-11-21T12:00:00.000Z'));
let ctx: TestContext;
beforeAll(async () => {
  ctx = await openTestContext({ clock });
});
afterAll(() => ctx.close());

it('the oldest beyond what a webhook may hold expire and are shown; others keep theirs', async () => {
  const { orgId } = await makeTenant(ctx);
  const webhook = await makeWebhook(ctx, orgId, 'http://127.0.0.1:1/');
  const calm = await makeTenant(ctx);
  await makeWebhook(ctx, calm.orgId, 'http://127.0.0.1:1/');
  await webhookRows(ctx).updateMany({}, { $set: { status: 'failing' } });
  const events: string[] = [];
  for (let index = 0; index < 6; index += 1) {
    events.push(...(await raise(ctx, orgId, 2)));
    clock.advance(1);
  }
  const few = await raise(ctx, calm.orgId, 5);
  expect(await expireHeld(ctx, 7)).toBe(5);
  expect(await expireHeld(ctx, 7)).toBe(0);
  const statuses = await Promise.all(events.map(async (id) => (await readDelivery(ctx, id)).status));
  expect(statuses).toEqual(events.map((_, index) => (index < 5 ? 'expired' : 'held')));
  for (const id of few) expect((await readDelivery(ctx, id)).status).toBe('held');
  expect((await listWebhooks(ctx, orgId))[0]?.held).toBe(7);
  const page = { order: 'asc', limit: 20, after: null, total: null } as const;
  const log = await listDeliveries(ctx, webhook, { status: 'expired' }, page);
  // Events of one commit have one time, and stand in the log by their ids.
  expect(log.rows.map(({ event_id }) => event_id).toSorted()).toEqual(events.slice(0, 5).toSorted());
});

it.each([{ status: 'failing' as const }, { enabled: false }])(
  'what was planned before its webhook was %o is held once its attempt finds that, and nothing is sent',
  async (change) => {
    const receiver = await startReceiver();
    const { orgId } = await makeTenant(ctx);
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId);
    // Its deliveries are not held yet: the job that does so has not run.
    await webhookRows(ctx).updateOne({ _id }, { $set: change });
    expect((await readDelivery(ctx, eventId)).status).toBe('pending');
    await attemptAllDue(ctx, eventId);
    await drainDeliveries(ctx, _id);
    expect((await readDelivery(ctx, eventId)).status).toBe('held');
    expect(receiver.received).toEqual([]);
    await receiver.close();
  },
);

it('what a worker finds paused that then stands still is not held once its webhook was enabled meanwhile', async () => {
  const receiver = await startReceiver();
  const { orgId } = await makeTenant(ctx);
  const { _id } = await makeWebhook(ctx, orgId, receiver.url);
  const [eventId = ''] = await raise(ctx, orgId);
  await webhookRows(ctx).updateOne({ _id }, { $set: { enabled: false } });
  const found = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const { batcher } = ctx;
  const submit: typeof batcher.submit = async (key, item, batching) => {
    if (key === 'delivery-outcomes') {
      found.resolve();
      await goOn.promise;
    }
    return batcher.submit(key, item, batching);
  };
  const attempt = attemptAllDue({ ...ctx, batcher: { ...batcher, submit } }, eventId);
  await found.promise;
  await enableWebhook(ctx, orgId, _id);
  clock.advance(120_000);
  await drainDeliveries(ctx, _id);
  goOn.resolve();
  await attempt;
  await drainDeliveries(ctx, _id);
  await attemptAllDue(ctx, eventId);
  expect((await readDelivery(ctx, eventId)).status).toBe('succeeded');
  await receiver.close();
});
