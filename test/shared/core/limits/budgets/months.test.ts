import { expect, test } from 'vitest';
import { removeBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { budgetWindowRetention } from '../../../../../shared/core/limits/budgets/count/retention.ts';
import { budgetWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { unfoldMonths } from '../../../../../shared/core/limits/budgets/rules/migrations.ts';
import { BUDGET_WINDOWS } from '../../../../../shared/core/limits/budgets/rules/model.ts';
import { moveToOtherShard } from '../../../../../shared/platform/mongo/counter-shards.ts';
import { fixture } from '../../../../support/fixture.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 10, 12);
const own = await fixture({ clock: START, perTest: true });
const { ctx, clock, ask } = own;

/** A monthly, a daily and a second monthly budget, used in four months from several processes. */
async function makeUsed() {
  clock.set(START);
  const make = async (fields: Parameters<typeof own.budget>[0]) =>
    (await own.budget({ threshold: 100, window: 'monthly', ...fields }))._id;
  const ids = [await make({}), await make({ metric: 'tokens' }), await make({ window: 'daily' })] as const;
  for (const month of [0, 1, 2, 3]) {
    clock.set(Date.UTC(2026, month, 10, 12));
    for (let at = 0; at < 6; at += 1) {
      moveToOtherShard();
      await own.spend({ cost_usd: month + 1, tokens_in: 10 ** month, tokens_out: at });
    }
  }
  const windows = async (id: string, limit = 120) =>
    (await ask(`/api/v1/budgets/${id}/windows?limit=${limit}`)).data;
  const answers = async () => Promise.all(ids.slice(0, 2).map((id) => windows(id)));
  const rows = () => budgetWindowRows(ctx).find({ org_id: own.orgId }).toArray();
  return { ids, windows, answers, rows };
}

/** More than a year after the last of them. */
const LATER = Date.UTC(2026, 3, 10, 12) + 500 * DAY;

const purge = () => budgetWindowRetention.purge(ctx, clock.now(), own.orgId);

test('months are kept for ever, days for 40 days', async () => {
  const { ids, answers, windows } = await makeUsed();
  const before = await answers();
  expect(before[0].map(({ current }: { current: number }) => current)).toEqual([24, 18, 12, 6]);
  expect(await windows(ids[2])).toHaveLength(4);
  clock.set(LATER);
  expect(await purge()).toBeGreaterThan(0);
  expect(await answers()).toEqual(before);
  expect(await windows(ids[0], 3)).toEqual(before[0].slice(0, 3));
  expect(await windows(ids[2])).toEqual([]);
  expect(await purge()).toBe(0);
});

test('of all kinds of windows that are over, those of months and quarters are kept', async () => {
  clock.set(START);
  for (const window of BUDGET_WINDOWS)
    await own.budget({ window, ...(window === 'rolling' ? { rolling_days: 7 } : {}) });
  await own.record({ ts: START });
  clock.set(LATER);
  await purge();
  const rows = await budgetWindowRows(ctx).find({ org_id: own.orgId }).toArray();
  const kinds = rows.map(({ counter }) => String(JSON.parse(counter)[2]));
  expect(kinds.toSorted()).toEqual(['monthly', 'quarterly 1', 'total 2026-01-10']);
});

test('months go with the last budget of their counter, and no sooner', async () => {
  const { ids, windows, rows } = await makeUsed();
  clock.set(LATER);
  await purge();
  const tokens = await windows(ids[1]);
  await removeBudget(ctx, own.orgId, ids[0]);
  await purge();
  expect(await windows(ids[1])).toEqual(tokens);
  await removeBudget(ctx, own.orgId, ids[1]);
  expect(await rows()).toEqual([]);
});

test('more days than one delete takes go, however many months are older', async () => {
  const { rows } = await makeUsed();
  clock.set(LATER);
  await purge();
  const kept = await rows();
  const [month] = kept;
  const days = Array.from({ length: 2_500 }, (_, index) => ({
    ...month,
    _id: `bwn_${own.orgId}_${index}`,
    counter: '["org","of a budget that is gone","daily","UTC"]',
    window_end: new Date(START + index),
  }));
  await budgetWindowRows(ctx).insertMany(days as typeof kept);
  expect(await purge()).toBe(2_500);
  expect(await rows()).toHaveLength(kept.length);
});

test('months that an earlier version folded into one row each are windows again', async () => {
  const { answers, rows } = await makeUsed();
  const before = await answers();
  const months = (await rows()).filter(({ counter }) => counter.includes('monthly'));
  const folded = ctx.db.database.collection<(typeof months)[number]>('budget_months');
  await folded.insertMany(months);
  await budgetWindowRows(ctx).deleteMany({ org_id: own.orgId, _id: { $in: months.map(({ _id }) => _id) } });
  expect(await answers()).not.toEqual(before);
  await unfoldMonths.run(ctx.db);
  expect(await answers()).toEqual(before);
  expect(await ctx.db.database.listCollections({ name: 'budget_months' }).toArray()).toEqual([]);
  await unfoldMonths.run(ctx.db);
  expect(await answers()).toEqual(before);
});

test.each([
  ['120', 200],
  ['121', 400],
  ['0', 400],
  ['x', 400],
])('up to 120 windows are answered: a limit of %s is a %i', async (limit, status) => {
  const { _id } = await own.budget();
  expect((await own.send(`/api/v1/budgets/${_id}/windows?limit=${limit}`)).status).toBe(status);
});
