import { afterAll, beforeAll, expect, it } from 'vitest';
import { listWebhooks } from '../../../../../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { purge } from '../../../../../../shared/core/retention/purge.ts';
import { RETENTION } from '../../../../../../shared/tables/retention.ts';
import { makeTenant } from '../../../../../support/factories.ts';
import { createTestClock, openTestContext, type TestContext } from '../../../../../support/harness.ts';
import { type Receiver, startReceiver } from '../../../../../support/receiver.ts';
import { attemptAllDue, makeWebhook, raise } from '../../../../../support/webhooks.ts';

const clock = createTestClock(Date.parse('2026-11-21T12:00:00.000Z'));
let ctx: TestContext;
let receiver: Receiver;
beforeAll(async () => {
  ctx = await openTestContext({ clock });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await ctx.close();
});

it('shows the newest delivery of each webhook, whatever became of it', async () => {
  const { orgId } = await makeTenant(ctx);
  for (let index = 0; index < 10; index += 1)
    await makeWebhook(ctx, orgId, `${receiver.url}/${index}`, ['session.started']);
  await raise(ctx, orgId, 2);
  await attemptAllDue(ctx);
  clock.advance(10);
  const [newest] = await raise(ctx, orgId);
  const listed = await listWebhooks(ctx, orgId);
  const last = listed.map(({ lastDelivery }) => [lastDelivery?.event_id, lastDelivery?.status]);
  expect(last).toEqual(Array.from({ length: 10 }, () => [newest, 'pending']));
});

it('finds the last delivery also when its event is older than the retention', async () => {
  const { orgId } = await makeTenant(ctx);
  const { _id } = await makeWebhook(ctx, orgId, receiver.url, ['session.started']);
  await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
  const [held] = await raise(ctx, orgId);
  clock.advance(31 * 86_400_000);
  await purge(ctx, RETENTION);
  const listed = await listWebhooks(ctx, orgId);
  expect(listed[0]).toMatchObject({ held: 1, lastDelivery: { event_id: held, status: 'held' } });
});

it('counts what is held and shows nothing where nothing was delivered', async () => {
  const { orgId } = await makeTenant(ctx);
  await makeWebhook(ctx, orgId, receiver.url, ['budget.warning']);
  const paused = await makeWebhook(ctx, orgId, receiver.url, ['session.started']);
  await webhookRows(ctx).updateOne({ _id: paused._id }, { $set: { enabled: false } });
  await raise(ctx, orgId, 3);
  const listed = await listWebhooks(ctx, orgId);
  expect(listed.map(({ held, lastDelivery }) => [held, lastDelivery?.status ?? null])).toEqual([
    [0, null],
    [3, 'held'],
  ]);
});
