import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inTransaction } from '../../../../shared/platform/mongo/transaction.ts';
import { purge } from '../../../../shared/retention/purge.ts';
import { RETENTION } from '../../../../shared/tables/retention.ts';
import { listWebhooks } from '../../../../shared/webhooks/deliveries/list-webhooks.ts';
import { createWebhook } from '../../../../shared/webhooks/endpoints/create-webhook.ts';
import { webhookRows } from '../../../../shared/webhooks/endpoints/model.ts';
import { updateWebhook } from '../../../../shared/webhooks/endpoints/update-webhook.ts';
import { makeTenant } from '../../../support/factories.ts';
import { createTestClock, openTestContext, type TestContext } from '../../../support/harness.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import { attemptAllDue, makeWebhook, raise, SECRET, writeEvent } from '../../../support/webhooks.ts';

const clock = createTestClock(Date.parse('2026-11-21T12:00:00.000Z'));
let ctx: TestContext;
let receiver: Receiver;
let queries = 0;
beforeAll(async () => {
  // The handles of collections take these when they are made, so before the context.
  for (const name of ['find', 'findOne', 'aggregate', 'countDocuments'] as const) {
    const original = mongo.Collection.prototype[name] as (...args: unknown[]) => unknown;
    vi.spyOn(mongo.Collection.prototype, name).mockImplementation(function (
      this: unknown,
      ...args: unknown[]
    ) {
      queries += 1;
      return original.apply(this, args) as never;
    });
  }
  ctx = await openTestContext({ clock });
  receiver = await startReceiver();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await receiver.close();
  await ctx.close();
});

async function listCounted(orgId: string) {
  queries = 0;
  const listed = await listWebhooks(ctx, orgId);
  return { listed, queries };
}

it('asks the store as often for forty webhooks as for two', async () => {
  const cost: number[] = [];
  for (const count of [2, 40]) {
    const { orgId } = await makeTenant(ctx);
    for (let index = 0; index < count; index += 1)
      await makeWebhook(ctx, orgId, `${receiver.url}/${index}`, ['session.started']);
    await raise(ctx, orgId, 2);
    clock.advance(10);
    const [newest] = await raise(ctx, orgId);
    await attemptAllDue(ctx);
    const counted = await listCounted(orgId);
    expect(counted.listed).toHaveLength(count);
    for (const { lastDelivery } of counted.listed)
      expect([lastDelivery?.event_id, lastDelivery?.status]).toEqual([newest, 'succeeded']);
    cost.push(counted.queries);
  }
  expect(cost[1]).toBe(cost[0]);
});

it('finds the last delivery also of a webhook that no longer subscribes to what came since', async () => {
  const { orgId } = await makeTenant(ctx);
  const { _id } = await makeWebhook(ctx, orgId, receiver.url, ['session.started']);
  const [old] = await raise(ctx, orgId);
  clock.advance(60_000);
  await updateWebhook(ctx, orgId, _id, { events: ['budget.warning'] });
  await makeWebhook(ctx, orgId, receiver.url, ['session.started']);
  await raise(ctx, orgId);
  const { listed } = await listCounted(orgId);
  expect(listed[0]?.lastDelivery?.event_id).toBe(old);
});

it('finds the last delivery also where another webhook was sent a newer alert', async () => {
  const { orgId } = await makeTenant(ctx);
  const asked = { url: receiver.url, events: ['session.started' as const], secret: SECRET, alert_at: [50] };
  const webhooks = [await createWebhook(ctx, orgId, asked), await createWebhook(ctx, orgId, asked)];
  await raise(ctx, orgId);
  const alerts: string[] = [];
  for (const { _id: webhook_id } of webhooks) {
    clock.advance(60_000);
    const ts = new Date(clock.now());
    const alert = { cause: [webhook_id], type: 'budget.threshold' as const, org_id: orgId, webhook_id, ts };
    alerts.push(
      await inTransaction(ctx.db, (transaction) => writeEvent(ctx, { ...alert, data: {} }, transaction)),
    );
  }
  const { listed } = await listCounted(orgId);
  expect(listed.map(({ lastDelivery }) => lastDelivery?.event_id)).toEqual(alerts);
});

it('finds the last delivery also when its event is older than the retention', async () => {
  const { orgId } = await makeTenant(ctx);
  const { _id } = await makeWebhook(ctx, orgId, receiver.url, ['session.started']);
  await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
  const [held] = await raise(ctx, orgId);
  clock.advance(31 * 86_400_000);
  await purge(ctx, RETENTION);
  const { listed } = await listCounted(orgId);
  expect(listed[0]).toMatchObject({ held: 1, lastDelivery: { event_id: held, status: 'held' } });
});

it('counts what is held and shows nothing where nothing was delivered', async () => {
  const { orgId } = await makeTenant(ctx);
  await makeWebhook(ctx, orgId, receiver.url, ['budget.warning']);
  const paused = await makeWebhook(ctx, orgId, receiver.url, ['session.started']);
  await webhookRows(ctx).updateOne({ _id: paused._id }, { $set: { enabled: false } });
  await raise(ctx, orgId, 3);
  const { listed } = await listCounted(orgId);
  expect(listed.map(({ held, lastDelivery }) => [held, lastDelivery?.status ?? null])).toEqual([
    [0, null],
    [3, 'held'],
  ]);
});
