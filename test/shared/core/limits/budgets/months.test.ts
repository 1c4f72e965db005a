import { expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { budgetWindowRetention } from '../../../../../shared/core/limits/budgets/count/retention.ts';
import { budgetWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { unfoldMonths } from '../../../../../shared/core/limits/budgets/rules/migrations.ts';
import { moveToOtherShard } from '../../../../../shared/platform/mongo/counter-shards.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 10, 12);
const { api, clock } = await fixture({ clock: START });

const BODY = { name: 'M', scope: 'org', metric: 'cost_usd', threshold: 100, window: 'monthly' };

/** An organization with a monthly, a daily and a second monthly budget, used in four months from several processes. */
async function makeUsed() {
  clock.set(START);
  const { orgId, key } = await makeTenant(api.ctx);
  const make = async (fields: object) => {
    const made = await api.call('/api/v1/budgets', { key, body: { ...BODY, ...fields } });
    expect(made.status, made.text).toBe(201);
    return made.body.id as string;
  };
  const ids = [await make({}), await make({ metric: 'tokens' }), await make({ window: 'daily' })] as const;
  for (const month of [0, 1, 2, 3]) {
    clock.set(Date.UTC(2026, month, 10, 12));
    for (let at = 0; at < 6; at += 1) {
      moveToOtherShard();
      const signal = makeSignal({
        ts: clock.now(),
        cost_usd: month + 1,
        tokens_in: 10 ** month,
        tokens_out: at,
      });
      await recordSignals(api.ctx, senderOf(orgId), [signal]);
    }
  }
  const windows = async (id: string, limit = 120) =>
    (await api.call(`/api/v1/budgets/${id}/windows?limit=${limit}`, { key })).body.data;
  const answers = async () => Promise.all(ids.slice(0, 2).map((id) => windows(id)));
  const remove = (id: string) => api.call(`/api/v1/budgets/${id}`, { method: 'DELETE', key });
  const rows = () => budgetWindowRows(api.ctx).find({ org_id: orgId }).toArray();
  return { orgId, key, ids, windows, answers, remove, rows };
}

/** More than a year after the last of them. */
const LATER = Date.UTC(2026, 3, 10, 12) + 500 * DAY;

const purge = (orgId: string) => budgetWindowRetention.purge(api.ctx, clock.now(), orgId);

test('months are kept for ever, days for 40 days', async () => {
  const { orgId, ids, answers, windows } = await makeUsed();
  const before = await answers();
  expect(before[0].map(({ current }: { current: number }) => current)).toEqual([24, 18, 12, 6]);
  expect(await windows(ids[2])).toHaveLength(4);
  clock.set(LATER);
  expect(await purge(orgId)).toBeGreaterThan(0);
  expect(await answers()).toEqual(before);
  expect(await windows(ids[0], 3)).toEqual(before[0].slice(0, 3));
  expect(await windows(ids[2])).toEqual([]);
  expect(await purge(orgId)).toBe(0);
});

test('months go with the last budget of their counter, and no sooner', async () => {
  const { orgId, ids, remove, windows, rows } = await makeUsed();
  clock.set(LATER);
  await purge(orgId);
  const tokens = await windows(ids[1]);
  await remove(ids[0]);
  await purge(orgId);
  expect(await windows(ids[1])).toEqual(tokens);
  await remove(ids[1]);
  expect(await rows()).toEqual([]);
});

test('more days than one delete takes go, however many months are older', async () => {
  const { orgId, rows } = await makeUsed();
  clock.set(LATER);
  await purge(orgId);
  const kept = await rows();
  const [month] = kept;
  const days = Array.from({ length: 2_500 }, (_, index) => ({
    ...month,
    _id: `bwn_${orgId}_${index}`,
    org_id: orgId,
    counter: '["org","of a budget that is gone","daily","UTC"]',
    window_end: new Date(START + index),
  }));
  await budgetWindowRows(api.ctx).insertMany(days as typeof kept);
  expect(await purge(orgId)).toBe(2_500);
  expect(await rows()).toHaveLength(kept.length);
});

test('months that an earlier version folded into one row each are windows again', async () => {
  const { orgId, answers, rows } = await makeUsed();
  const before = await answers();
  const months = (await rows()).filter(({ counter }) => counter.includes('monthly'));
  const folded = api.ctx.db.database.collection<(typeof months)[number]>('budget_months');
  await folded.insertMany(months);
  await budgetWindowRows(api.ctx).deleteMany({ org_id: orgId, _id: { $in: months.map(({ _id }) => _id) } });
  expect(await answers()).not.toEqual(before);
  await unfoldMonths.run(api.ctx.db);
  expect(await answers()).toEqual(before);
  expect(await api.ctx.db.database.listCollections({ name: 'budget_months' }).toArray()).toEqual([]);
  await unfoldMonths.run(api.ctx.db);
  expect(await answers()).toEqual(before);
});

test('up to 120 windows are answered', async () => {
  const { ids, key } = await makeUsed();
  for (const [limit, status] of [
    ['120', 200],
    ['121', 400],
    ['0', 400],
    ['x', 400],
  ] as const)
    expect((await api.call(`/api/v1/budgets/${ids[0]}/windows?limit=${limit}`, { key })).status).toBe(status);
});
