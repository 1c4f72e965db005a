import { describe, expect, it } from 'vitest';
import {
  type DeliveryFilter,
  listDeliveries,
} from '../../../../../../shared/core/events/webhooks/deliveries/list-deliveries.ts';
import { listWebhooks } from '../../../../../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { deliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { type Webhook, webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { purge } from '../../../../../../shared/core/retention/purge.ts';
import { COUNTED_ROWS, type Position } from '../../../../../../shared/platform/basics/paginate.ts';
import { RETENTION } from '../../../../../../shared/tables/retention.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { attemptAllDue, raise } from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;

const log = (webhook: Webhook, filter: DeliveryFilter = {}, after: Position | null = null, limit = 20) =>
  listDeliveries(ctx, webhook, filter, { order: 'desc', limit, after, total: null });

describe('the log', () => {
  it('has what is finished and what is not in one order, each once, over pages', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    const events: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      events.push(...(await raise(ctx, fx.orgId)));
      clock.advance(10);
    }
    for (const [index, event] of events.entries()) if (index % 2 === 0) await attemptAllDue(ctx, event);
    const first = await log(webhook, {}, null, 4);
    const second = await log(webhook, {}, first.last, 4);
    const pages = [first, second].map(({ total, hasMore, rows }) => [total, hasMore, rows.length]);
    expect(pages).toEqual([
      [6, true, 4],
      [6, false, 2],
    ]);
    const seen = [...first.rows, ...second.rows].map(({ event_id, status }) => [event_id, status]);
    const statuses = events.map((id, index) => [id, index % 2 ? 'pending' : 'succeeded']);
    expect(seen).toEqual(statuses.toReversed());
  });

  it('has what a process raised whose clock is behind that of the one which made the webhook', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    clock.advance(-2_000);
    const [early] = await raise(ctx, fx.orgId);
    clock.advance(2_000);
    expect(await log(webhook)).toMatchObject({ rows: [{ event_id: early }], total: 1 });
    expect((await listWebhooks(ctx, fx.orgId))[0]?.lastDelivery?.event_id).toBe(early);
  });

  it('is counted to 10,000 deliveries, finished or not, by status exactly', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    await raise(ctx, fx.orgId);
    clock.advance(10);
    await attemptAllDue(ctx);
    const [done] = await deliveryRows(ctx).find({ webhook_id: webhook._id }).toArray();
    if (!done) throw new Error('nothing was delivered');
    const copies = Array.from({ length: COUNTED_ROWS - 1 }, (_, index) => ({
      ...done,
      _id: `dlv_${index}`,
      event_id: `evt_${index}`,
      status: index < 100 ? ('exhausted' as const) : ('succeeded' as const),
      created_at: new Date(clock.now() - index * 1_000),
    }));
    await deliveryRows(ctx).insertMany(copies);
    const old = { ...webhook, created_at: new Date(clock.now() - 2 * COUNTED_ROWS * 1_000) };
    const count = async (filter: DeliveryFilter) => (await log(old, filter)).total;
    expect(await count({})).toBe(COUNTED_ROWS);
    expect(await count({ type: done.type })).toBe(COUNTED_ROWS);
    expect(await count({ type: 'budget.exceeded', status: 'succeeded' })).toBe(0);
    await raise(ctx, fx.orgId);
    expect(await count({})).toBeGreaterThan(COUNTED_ROWS);
    expect(await count({ type: done.type })).toBeGreaterThan(COUNTED_ROWS);
    expect(await count({ status: 'exhausted' })).toBe(100);
  });
});

describe('the list of webhooks', () => {
  const listed = async () =>
    (await listWebhooks(ctx, fx.orgId)).map(({ held, lastDelivery: last }) => [
      held,
      last?.event_id,
      last?.status,
    ]);

  it('shows the newest delivery of each, whatever became of it, and what each holds', async () => {
    for (let index = 0; index < 10; index += 1)
      await fx.webhook(`${fx.receiver.url}/${index}`, ['session.started']);
    await fx.webhook(fx.receiver.url, ['budget.warning']);
    const { _id } = await fx.webhook(fx.receiver.url, ['session.started']);
    await webhookRows(ctx).updateOne({ _id }, { $set: { enabled: false } });
    await raise(ctx, fx.orgId, 2);
    await attemptAllDue(ctx);
    clock.advance(10);
    const [newest] = await raise(ctx, fx.orgId);
    const pending = Array(10).fill([0, newest, 'pending']);
    expect(await listed()).toEqual([...pending, [0, undefined, undefined], [3, newest, 'held']]);
  });

  it('shows the last delivery also when its event is older than the retention', async () => {
    const { _id } = await fx.webhook(fx.receiver.url, ['session.started']);
    await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
    const [held] = await raise(ctx, fx.orgId);
    clock.advance(31 * 86_400_000);
    await purge(ctx, RETENTION);
    expect(await listed()).toEqual([[1, held, 'held']]);
  });
});
