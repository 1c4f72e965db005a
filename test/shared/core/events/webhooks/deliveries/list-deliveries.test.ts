import { describe, expect, it } from 'vitest';
import {
  type DeliveryFilter,
  listDeliveries,
} from '../../../../../../shared/core/events/webhooks/deliveries/list-deliveries.ts';
import { listWebhooks } from '../../../../../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  deliveryRows,
  finished,
  queuedDeliveryRows,
} from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { COUNTED_ROWS, type Position } from '../../../../../../shared/platform/basics/paginate.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { attemptAllDue, makeWebhook, raise } from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;

describe('the log', () => {
  it('has what is finished and what is not in one order, each once, over pages', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    const events: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      events.push(...(await raise(ctx, fx.orgId)));
      clock.advance(10);
    }
    for (const [index, event] of events.entries()) if (index % 2 === 0) await attemptAllDue(ctx, event);
    const seen: [string, string][] = [];
    let after: Position | null = null;
    for (let hasMore = true; hasMore; ) {
      const page = await listDeliveries(ctx, webhook, {}, { order: 'desc', limit: 4, after, total: null });
      seen.push(...page.rows.map(({ event_id, status }): [string, string] => [event_id, status]));
      expect(page.total).toBe(6);
      ({ hasMore, last: after } = page);
    }
    const statuses = events.map((id, index): [string, string] => [id, index % 2 ? 'pending' : 'succeeded']);
    expect(seen).toEqual(statuses.toReversed());
  });

  it.each(DELIVERY_STATUSES)('can be narrowed to the deliveries that are %s', async (status) => {
    const { orgId, receiver } = fx;
    const webhook = await makeWebhook(ctx, orgId, receiver.url);
    await raise(ctx, orgId, 2 * DELIVERY_STATUSES.length);
    const rows = await queuedDeliveryRows(ctx).find({ webhook_id: webhook._id }).toArray();
    for (const [index, row] of rows.entries()) {
      const own = DELIVERY_STATUSES[index % DELIVERY_STATUSES.length] ?? 'pending';
      if (own === 'pending' || own === 'held' || own === 'collected') {
        await queuedDeliveryRows(ctx).updateOne({ _id: row._id }, { $set: { state: own } });
        continue;
      }
      await queuedDeliveryRows(ctx).deleteOne({ _id: row._id });
      await deliveryRows(ctx).insertOne(finished(row, own, clock.now()));
    }
    const page = { order: 'desc', limit: 20, after: null, total: null } as const;
    const found = await listDeliveries(ctx, webhook, { status }, page);
    expect([found.rows.map((each) => each.status), found.total]).toEqual([[status, status], 2]);
  });

  it('has what a process raised whose clock is behind that of the one which made the webhook', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    clock.advance(-2_000);
    const [early] = await raise(ctx, fx.orgId);
    clock.advance(2_000);
    const page = { order: 'desc', limit: 4, after: null, total: null } as const;
    const { rows, total } = await listDeliveries(ctx, webhook, {}, page);
    expect([rows.map(({ event_id }) => event_id), total]).toEqual([[early], 1]);
    expect((await listWebhooks(ctx, fx.orgId))[0]?.lastDelivery?.event_id).toBe(early);
  });

  it('is counted to 10,000 deliveries, finished or not, by status exactly', async () => {
    const webhook = await fx.webhook(fx.receiver.url);
    const [event] = await raise(ctx, fx.orgId);
    clock.advance(10);
    await attemptAllDue(ctx, event ?? '');
    const [done] = await deliveryRows(ctx).find({ webhook_id: webhook._id }).toArray();
    if (!done) throw new Error('nothing was delivered');
    const copy = (index: number): Delivery => ({
      ...done,
      _id: `dlv_${index}`,
      event_id: `evt_${index}`,
      status: index < 100 ? 'exhausted' : 'succeeded',
      created_at: new Date(clock.now() - index * 1_000),
    });
    await deliveryRows(ctx).insertMany(Array.from({ length: COUNTED_ROWS - 1 }, (_, at) => copy(at)));
    const old = { ...webhook, created_at: new Date(clock.now() - 2 * COUNTED_ROWS * 1_000) };
    const page = { order: 'desc', limit: 20, after: null, total: null } as const;
    const count = async (filter: DeliveryFilter) => (await listDeliveries(ctx, old, filter, page)).total;
    expect(await count({})).toBe(COUNTED_ROWS);
    expect(await count({ type: done.type })).toBe(COUNTED_ROWS);
    expect(await count({ type: 'budget.exceeded', status: 'succeeded' })).toBe(0);
    await raise(ctx, fx.orgId);
    expect(await count({})).toBeGreaterThan(COUNTED_ROWS);
    expect(await count({ type: done.type })).toBeGreaterThan(COUNTED_ROWS);
    expect(await count({ status: 'exhausted' })).toBe(100);
  });
});
