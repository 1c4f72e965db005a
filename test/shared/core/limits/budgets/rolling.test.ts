import { beforeEach, describe, expect, test } from 'vitest';
import { changeBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { budgetFiringRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { listBudgetEvents } from '../../../../../shared/core/limits/budgets/show/read-history.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { use as record } from '../../../../support/usage.ts';
import { budgetEventsOf, subscribe, subscribeToAll } from '../../../../support/webhooks.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 18, 10);
const own = await storesFixture({ clock: NOW, perTest: true });
const { clock, ctx } = own;

let orgId: string;
beforeEach(async () => {
  ({ orgId } = own);
  await subscribeToAll(ctx, orgId);
});

/** A budget of 100 signals in three days. */
const make = (fields: Partial<BudgetInput> = {}) =>
  own.budget({ metric: 'signals', threshold: 100, window: 'rolling', rolling_days: 3, ...fields });

const post = (count: number, day = 0) => record(ctx, orgId, count, { ts: clock.now() + day * DAY });

/** Uses so much on a day, counted from today, and evaluates. Returns what is told of it. */
async function use(count: number, day = 0): Promise<string> {
  await post(count, day);
  return evaluate();
}

async function evaluate(): Promise<string> {
  const told = await budgetEventsOf(ctx, orgId, () => evaluateDue(ctx, orgId));
  return told.map(({ level }) => level).join(' ');
}

/** Uses so much some days after the use before, and evaluates, step by step: what each tells. */
async function story(...steps: (readonly [days: number, count: number, told: string])[]): Promise<void> {
  for (const [turn, [days, count, told]] of steps.entries()) {
    clock.advance(days * DAY + 1_000);
    expect(await use(count), `step ${turn}`).toBe(told);
  }
}

const nextDay = (days = 1) => clock.advance(days * DAY);

const BOTH = 'warning exceeded';

describe('a level of a rolling budget', () => {
  test('fires when it is reached, and again only after a midnight brought usage below it', async () => {
    const { _id } = await make();
    await story(
      [0, 79, ''],
      [0, 1, 'warning'],
      // 80 of yesterday go on.
      [1, 5, ''],
      [0, 15, 'exceeded'],
      [1, 1, ''],
      // The first day has left: 21 were used in the two before.
      [1, 58, ''],
      [0, 1, 'warning'],
      [0, 25, 'exceeded'],
      // The warning goes on again, since the midnight that ended it came before the second one.
      [1, 1, ''],
    );
    const page = { order: 'asc', limit: 20, after: null, total: null } as const;
    const viewer = { orgId, userId: null, scopes: ['usage:read'] as const };
    const { rows } = await listBudgetEvents(ctx, viewer, _id, page);
    expect(rows.map(({ level }) => level)).toEqual(['warning', 'exceeded', 'warning', 'exceeded']);
    expect(rows.filter(({ event_id }) => event_id === null)).toEqual([]);
    // That it was reached on the days between is kept, but no event.
    const carried = await budgetFiringRows(ctx).countDocuments({ budget_id: _id, is_carried: true });
    expect(carried).toBeGreaterThan(1);
  });

  test('fires once, however long it holds and however rarely it is evaluated', async () => {
    await make({ rolling_days: 31 });
    // 31 days after the first one it has left.
    await story([0, 100, BOTH], [1, 1, ''], [7, 1, ''], [20, 1, ''], [3, 97, BOTH]);
  });

  test('that was reached just before a midnight fires behind it', async () => {
    await make();
    await post(60);
    nextDay(2);
    await post(40);
    nextDay();
    expect(await evaluate()).toBe(BOTH);
  });

  test('fires by what comes late, and a late signal of yesterday does not fire it a second time', async () => {
    await make();
    nextDay(2);
    expect(await use(79)).toBe('');
    expect(await use(1, -2)).toBe('warning');
    expect(await use(80, -1)).toBe('exceeded');
  });

  test('that a late signal reaches in an earlier window than one that is told is not kept of the earlier one', async () => {
    await make();
    nextDay(2);
    expect(await use(80)).toBe('warning');
    const told = await budgetFiringRows(ctx).find({ org_id: orgId }).toArray();
    expect(await use(85, -1)).toBe('exceeded');
    const kept = await budgetFiringRows(ctx).find({ org_id: orgId }).sort({ fired_at: 1 }).toArray();
    expect(kept.filter(({ level }) => level === 'warning')).toEqual(told);
    expect(kept).toHaveLength(2);
  });

  test('counts what was used before the budget was made, and fires by it at once', async () => {
    await post(60, -2);
    await post(25, -1);
    await make();
    expect(await evaluate()).toBe('warning');
  });

  test('fires again at once by another threshold, and its days stay counted', async () => {
    await post(60, -2);
    const { _id } = await make();
    await post(30);
    expect(await evaluate()).toBe('warning');
    const rows = await budgetWindowRows(ctx).find({ org_id: orgId }).toArray();
    await changeBudget(ctx, orgId, _id, { threshold: 90 });
    expect(await budgetWindowRows(ctx).find({ org_id: orgId }).toArray()).toEqual(rows);
    expect(await evaluate()).toBe(BOTH);
  });
});

test('an alert of a rolling budget is sent once while it holds', async () => {
  await subscribe(ctx, orgId, { alert_at: [50], forecast: true });
  await make({ rolling_days: 4 });
  await story([0, 70, 'threshold'], [1, 1, ''], [3, 50, 'threshold'], [1, 1, '']);
});
