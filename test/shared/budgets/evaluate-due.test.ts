import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeBudget, createBudget, removeBudget } from '../../../shared/budgets/change-budgets.ts';
import { evaluateDue, sweepDueBudgets } from '../../../shared/budgets/evaluate-due.ts';
import type { BudgetInput } from '../../../shared/budgets/input.ts';
import { readBudget } from '../../../shared/budgets/read-budgets.ts';
import type { Event } from '../../../shared/events/model.ts';
import { setTeams, addMember } from '../../../shared/organizations/members.ts';
import { recordSignals } from '../../../shared/signals/record-signals.ts';
import { makeSignal, makeTenant } from '../../factories.ts';
import { createTestClock, openTestContext, type TestClock, type TestContext } from '../../harness.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const HOUR = 3_600_000;
let ctx: TestContext;
let clock: TestClock;
beforeAll(async () => {
  clock = createTestClock(NOW);
  ctx = await openTestContext({ clock });
});
afterAll(() => ctx.close());

const base: BudgetInput = {
  name: 'Month',
  scope: 'org',
  metric: 'signals',
  threshold: 100,
  window: 'monthly',
  timezone: 'UTC',
};

async function post(orgId: string, count: number, overrides: Record<string, unknown> = {}): Promise<void> {
  const sender = { orgId, boundUserId: null, defaultProjectId: null };
  const signals = Array.from({ length: count }, () => makeSignal({ ts: clock.now(), ...overrides }));
  const results = await recordSignals(ctx, sender, signals);
  expect(results.map((result) => result.status)).toEqual(signals.map(() => 'accepted'));
}

async function budgetEvents(orgId: string): Promise<Event[]> {
  const events = await ctx.db.events.find({ org_id: orgId }).lean<Event[]>();
  return events.filter((event) => event.type.startsWith('budget.'));
}

const typesOf = (events: Event[]) => events.map((event) => event.type);

describe('firing', () => {
  test('79 % is silent; 130 % in one step raises warning, then exceeded, as interface 6.2 says', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    const budget = await createBudget(ctx, orgId, base);
    await post(orgId, 79);
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    await post(orgId, 51);
    expect(await evaluateDue(ctx, orgId)).toBe(2);
    const [warning, exceeded, ...more] = await budgetEvents(orgId);
    expect(more).toEqual([]);
    expect(warning).toMatchObject({ type: 'budget.warning', org_id: orgId });
    expect(warning?.data).toEqual({
      budget_id: budget._id,
      budget_name: 'Month',
      threshold: 100,
      current: 130,
      scope: 'org',
      scope_id: orgId,
      event_id: warning?._id,
    });
    expect(exceeded?.data).toEqual({
      budget_id: budget._id,
      budget_name: 'Month',
      scope: 'org',
      scope_id: orgId,
      threshold: 100,
      current: 130,
      window: 'monthly',
      metric: 'signals',
    });
    expect(exceeded?.ts.getTime()).toBeGreaterThanOrEqual(warning?.ts.getTime() ?? Number.NaN);
  });
});
