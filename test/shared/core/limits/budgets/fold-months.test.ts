import { describe, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { foldMonths } from '../../../../../shared/core/limits/budgets/count/fold-months.ts';
import { budgetWindowRetention } from '../../../../../shared/core/limits/budgets/count/retention.ts';
import { calendarWindowAt } from '../../../../../shared/core/limits/budgets/rules/calendar-windows.ts';
import {
  budgetMonthRows,
  budgetWindowRows,
  COUNTED,
} from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { counterKey, windowKey } from '../../../../../shared/core/limits/budgets/rules/keys.ts';
import { budgetRows } from '../../../../../shared/core/limits/budgets/rules/model.ts';
import { ALL_COUNTER_SHARDS, moveToOtherShard } from '../../../../../shared/platform/mongo/counter-shards.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';
import { standingStillAfter } from '../../../../support/interleave.ts';

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
  const months = () => budgetMonthRows(api.ctx).find({ org_id: orgId }).toArray();
  return { orgId, key, ids, windows, answers, remove, months };
}

/** The 36th day after February has ended, and not yet after March. */
const FOLDING = Date.UTC(2026, 3, 10, 12);

describe('folding monthly windows', () => {
  test('leaves one row per month that ended 36 days ago, and never changes an answer of `windows`', async () => {
    const { orgId, ids, answers, windows, months } = await makeUsed();
    clock.set(FOLDING);
    const before = await answers();
    expect(before[0].map(({ current }: { current: number }) => current)).toEqual([24, 18, 12, 6]);
    expect(await foldMonths(api.ctx, orgId, clock.now())).toBe(2);
    expect(await answers()).toEqual(before);
    expect(
      (await months()).map(({ window_start }) => window_start.getUTCMonth()).toSorted((a, b) => a - b),
    ).toEqual([0, 1]);
    expect(await foldMonths(api.ctx, orgId, clock.now())).toBe(0);
    expect(await answers()).toEqual(before);
    expect(await windows(ids[0], 3)).toEqual(before[0].slice(0, 3));
  });

  test('keeps months for ever, days for 40 days', async () => {
    const { orgId, ids, answers, windows } = await makeUsed();
    const before = await answers();
    expect(await windows(ids[2])).toHaveLength(4);
    clock.set(Date.UTC(2026, 3, 10, 12) + 500 * DAY);
    await budgetWindowRetention.purge(api.ctx, clock.now(), orgId);
    expect(await answers()).toEqual(before);
    expect(await windows(ids[2])).toEqual([]);
    expect(await budgetWindowRows(api.ctx).countDocuments({ org_id: orgId })).toBe(0);
  });

  test('does not fold a month whose 36 days are not over, nor delete what is not folded', async () => {
    const { orgId, answers, months } = await makeUsed();
    const before = await answers();
    const endOfJanuary = Date.UTC(2026, 1, 1);
    await foldMonths(api.ctx, orgId, endOfJanuary + 36 * DAY);
    expect(await months()).toEqual([]);
    await foldMonths(api.ctx, orgId, endOfJanuary + 36 * DAY + 1);
    expect(await months()).toHaveLength(1);
    expect(await answers()).toEqual(before);
  });

  test('that is killed at any step has changed nothing, and the next one does it once', async () => {
    const { orgId, answers, months } = await makeUsed();
    clock.set(FOLDING);
    const before = await answers();
    const killed = () => Promise.reject(new Error('killed'));
    for (const collection of [budgetRows, budgetWindowRows])
      for (const time of [1, 2, 3]) {
        const dying = standingStillAfter(api.ctx, collection, killed, time);
        await foldMonths(dying, orgId, clock.now()).catch(() => undefined);
        expect(await answers()).toEqual(before);
      }
    await foldMonths(api.ctx, orgId, clock.now());
    expect(await answers()).toEqual(before);
    expect(await months()).toHaveLength(2);
  });

  test('by several workers at once leaves one row per month', async () => {
    const { orgId, answers, months } = await makeUsed();
    clock.set(FOLDING);
    const before = await answers();
    await Promise.all(Array.from({ length: 4 }, () => foldMonths(api.ctx, orgId, clock.now())));
    expect(await answers()).toEqual(before);
    expect(await months()).toHaveLength(2);
  });

  test('while somebody reads is not seen: neither no row of a month nor two', async () => {
    const { orgId, key, ids, answers } = await makeUsed();
    clock.set(FOLDING);
    const [before] = await answers();
    const { readBudgetWindows } = await import(
      '../../../../../shared/core/limits/budgets/show/read-history.ts'
    );
    const viewer = { orgId, userId: null, scopes: ['usage:read'] as const };
    const reading = standingStillAfter(api.ctx, budgetWindowRows, () =>
      foldMonths(api.ctx, orgId, clock.now()),
    );
    expect(await readBudgetWindows(reading, viewer, ids[0], 120)).toEqual(before);
    expect(key).not.toBe('');
  });

  test('goes with the last budget of its counter, and no sooner', async () => {
    const { orgId, ids, remove, windows, months } = await makeUsed();
    clock.set(FOLDING);
    await foldMonths(api.ctx, orgId, clock.now());
    const tokens = await windows(ids[1]);
    await remove(ids[0]);
    expect(await windows(ids[1])).toEqual(tokens);
    await remove(ids[1]);
    expect(await months()).toEqual([]);
  });

  test('sums all counter shards of a window, every measure of it', async () => {
    const { orgId, ids, months } = await makeUsed();
    clock.set(FOLDING);
    const budget = await budgetRows(api.ctx).findOne({ _id: ids[0] });
    if (!budget) throw new Error('The budget is gone.');
    const counter = counterKey(budget);
    const { startMs } = calendarWindowAt('monthly', 'UTC', Date.UTC(2026, 0, 10));
    const rows = ALL_COUNTER_SHARDS.map((shard) => windowKey(orgId, counter, startMs, shard));
    const shards = await budgetWindowRows(api.ctx)
      .find({ _id: { $in: rows }, org_id: orgId })
      .toArray();
    await foldMonths(api.ctx, orgId, clock.now());
    const month = (await months()).find(({ window_start }) => window_start.getTime() === startMs);
    expect(shards.length).toBeGreaterThan(1);
    for (const measure of COUNTED)
      expect(month?.[measure]).toBe(shards.reduce((sum, shard) => sum + shard[measure], 0));
  });

  test('up to 120 windows are answered', async () => {
    const { ids, key } = await makeUsed();
    for (const [limit, status] of [
      ['120', 200],
      ['121', 400],
      ['0', 400],
      ['x', 400],
    ] as const)
      expect((await api.call(`/api/v1/budgets/${ids[0]}/windows?limit=${limit}`, { key })).status).toBe(
        status,
      );
  });
});
