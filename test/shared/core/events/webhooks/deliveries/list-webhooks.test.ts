import { expect, it } from 'vitest';
import { listWebhooks } from '../../../../../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { purge } from '../../../../../../shared/core/retention/purge.ts';
import { RETENTION } from '../../../../../../shared/tables/retention.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { attemptAllDue, raise } from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true });
const { ctx, clock, receiver } = fx;

it('shows the newest delivery of each webhook, whatever became of it', async () => {
  const { orgId, webhook } = await fx.tenant();
  for (let index = 0; index < 10; index += 1) await webhook(`${receiver.url}/${index}`, ['session.started']);
  await raise(ctx, orgId, 2);
  await attemptAllDue(ctx);
  clock.advance(10);
  const [newest] = await raise(ctx, orgId);
  const listed = await listWebhooks(ctx, orgId);
  const last = listed.map(({ lastDelivery }) => [lastDelivery?.event_id, lastDelivery?.status]);
  expect(last).toEqual(Array.from({ length: 10 }, () => [newest, 'pending']));
});

it('finds the last delivery also when its event is older than the retention', async () => {
  const { orgId, webhook } = await fx.tenant();
  const { _id } = await webhook(receiver.url, ['session.started']);
  await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
  const [held] = await raise(ctx, orgId);
  clock.advance(31 * 86_400_000);
  await purge(ctx, RETENTION);
  const listed = await listWebhooks(ctx, orgId);
  expect(listed[0]).toMatchObject({ held: 1, lastDelivery: { event_id: held, status: 'held' } });
});

it('counts what is held and shows nothing where nothing was delivered', async () => {
  const { orgId, webhook } = await fx.tenant();
  await webhook(receiver.url, ['budget.warning']);
  const paused = await webhook(receiver.url, ['session.started']);
  await webhookRows(ctx).updateOne({ _id: paused._id }, { $set: { enabled: false } });
  await raise(ctx, orgId, 3);
  const listed = await listWebhooks(ctx, orgId);
  expect(listed.map(({ held, lastDelivery }) => [held, lastDelivery?.status ?? null])).toEqual([
    [0, null],
    [3, 'held'],
  ]);
});
