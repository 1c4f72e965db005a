import { beforeEach, describe, expect, test } from 'vitest';
import { changeBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { budgetWindowRetention } from '../../../../../shared/core/limits/budgets/count/retention.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { budgetFiringRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { listBudgetEvents } from '../../../../../shared/core/limits/budgets/show/read-history.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { use as record } from '../../../../support/usage.ts';
import { readEvents, subscribe, subscribeToAll } from '../../../../support/webhooks.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 18, 10);
const own = await storesFixture({ clock: NOW, perTest: true });
const { clock, ctx } = own;

let orgId: string;
beforeEach(async () => {
  clock.set(NOW);
  ({ orgId } = own);
  await subscribeToAll(ctx, orgId);
});

/** A budget of 100 signals in three days. */
const make = (fields: Partial<BudgetInput> = {}) =>
  own.budget({ metric: 'signals', threshold: 100, window: 'rolling', rolling_days: 3, ...fields });

const post = (count: number, day = 0) => record(ctx, orgId, count, { ts: clock.now() + day * DAY });

/** Uses so much on a day, counted from today, and evaluates. Returns the levels that have fired since the call before. */
async function use(count: number, day = 0): Promise<string[]> {
  await post(count, day);
  return evaluate();
}

async function evaluate(): Promise<string[]> {
  const before = await levels();
  await evaluateDue(ctx, orgId);
  return (await levels()).slice(before.length);
}

async function levels(): Promise<string[]> {
  const events = await readEvents(ctx, orgId);
  return events.map(({ type }) => type).filter((type) => /^budget\.(warning|exceeded)$/.test(type));
}

const nextDay = (days = 1) => clock.advance(days * DAY);

describe('a level of a rolling budget', () => {
  test('fires when it is reached, and again only after a midnight brought usage below it', async () => {
    const { _id } = await make();
    expect(await use(79)).toEqual([]);
    expect(await use(1)).toEqual(['budget.warning']);
    nextDay();
    // 80 of yesterday go on.
    expect(await use(5)).toEqual([]);
    expect(await use(15)).toEqual(['budget.exceeded']);
    nextDay();
    expect(await use(1)).toEqual([]);
    nextDay();
    // The first day has left: 21 were used in the two before.
    expect(await use(58)).toEqual([]);
    expect(await use(1)).toEqual(['budget.warning']);
    clock.advance(1_000);
    expect(await use(25)).toEqual(['budget.exceeded']);
    nextDay();
    // The warning goes on again, since the midnight that ended it came before the second one.
    expect(await use(1)).toEqual([]);
    const page = { order: 'asc', limit: 20, after: null, total: null } as const;
    const viewer = { orgId, userId: null, scopes: ['usage:read'] as const };
    const { rows } = await listBudgetEvents(ctx, viewer, _id, page);
    expect(rows.map(({ level, event_id }) => [level, event_id !== null])).toEqual([
      ['warning', true],
      ['exceeded', true],
      ['warning', true],
      ['exceeded', true],
    ]);
    // That it was reached on the days between is kept, but no event.
    expect(await budgetFiringRows(ctx).countDocuments({ budget_id: _id, is_carried: true })).toBeGreaterThan(
      1,
    );
  });

  test('fires once, however long it holds and however rarely it is evaluated', async () => {
    await make({ rolling_days: 31 });
    expect(await use(100)).toEqual(['budget.warning', 'budget.exceeded']);
    for (const days of [1, 7, 20]) {
      nextDay(days);
      expect(await use(1)).toEqual([]);
    }
    // 31 days after the first one it has left.
    nextDay(3);
    expect(await use(97)).toEqual(['budget.warning', 'budget.exceeded']);
  });

  test('that was reached just before a midnight fires behind it', async () => {
    await make();
    await post(60);
    nextDay(2);
    await post(40);
    nextDay();
    expect(await evaluate()).toEqual(['budget.warning', 'budget.exceeded']);
  });

  test('fires by what comes late, and a late signal of yesterday does not fire it a second time', async () => {
    await make();
    nextDay(2);
    expect(await use(79)).toEqual([]);
    expect(await use(1, -2)).toEqual(['budget.warning']);
    expect(await use(80, -1)).toEqual(['budget.exceeded']);
  });

  test('that a late signal reaches in an earlier window than one that is told is not kept of the earlier one', async () => {
    await make();
    nextDay(2);
    expect(await use(80)).toEqual(['budget.warning']);
    const told = await budgetFiringRows(ctx).find({ org_id: orgId }).toArray();
    expect(await use(85, -1)).toEqual(['budget.exceeded']);
    const kept = await budgetFiringRows(ctx).find({ org_id: orgId }).sort({ fired_at: 1 }).toArray();
    expect(kept.filter(({ level }) => level === 'warning')).toEqual(told);
    expect(kept).toHaveLength(2);
  });

  test('counts what was used before the budget was made, and fires by it at once', async () => {
    await post(60, -2);
    await post(25, -1);
    await make();
    expect(await evaluate()).toEqual(['budget.warning']);
  });

  test('fires again at once by another threshold, and its days stay counted', async () => {
    await post(60, -2);
    const { _id } = await make();
    await post(30);
    expect(await evaluate()).toEqual(['budget.warning']);
    const rows = await budgetWindowRows(ctx).find({ org_id: orgId }).toArray();
    await changeBudget(ctx, orgId, _id, { threshold: 90 });
    expect(await budgetWindowRows(ctx).find({ org_id: orgId }).toArray()).toEqual(rows);
    expect(await evaluate()).toEqual(['budget.warning', 'budget.exceeded']);
  });
});

test('an alert of a rolling budget is sent once while it holds', async () => {
  await subscribe(ctx, orgId, { alert_at: [50], forecast: true });
  await make({ rolling_days: 4 });
  const alerts = async () => {
    const events = await readEvents(ctx, orgId);
    return events.map(({ type }) => type).filter((type) => /threshold|forecast/.test(type));
  };
  await use(70);
  expect(await alerts()).toEqual(['budget.threshold']);
  nextDay();
  await use(1);
  expect(await alerts()).toEqual(['budget.threshold']);
  nextDay(3);
  await use(50);
  expect(await alerts()).toEqual(['budget.threshold', 'budget.threshold']);
  nextDay();
  await use(1);
  expect(await alerts()).toEqual(['budget.threshold', 'budget.threshold']);
});

test('the rows of a total and of an open quarter do not go by age, those of days do', async () => {
  clock.set(Date.UTC(2026, 9, 1, 12));
  const made = await Promise.all([
    make({ window: 'total', rolling_days: null }),
    make({ window: 'quarterly', rolling_days: null }),
    make(),
  ]);
  await post(3);
  clock.set(Date.UTC(2026, 11, 30));
  await budgetWindowRetention.purge(ctx, clock.now(), orgId);
  const rows = await budgetWindowRows(ctx).find({ org_id: orgId }).toArray();
  const kept = rows.map(({ counter, signals }) => [JSON.parse(counter)[2], signals]);
  expect(Object.fromEntries(kept)).toEqual({ 'quarterly 1': 3, 'total 2026-10-01': 3 });
  expect(made).toHaveLength(3);
});
