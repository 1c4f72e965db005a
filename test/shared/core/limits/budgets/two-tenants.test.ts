import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  changeBudget,
  createBudget,
  removeBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { foldMonths } from '../../../../../shared/core/limits/budgets/count/fold-months.ts';
import { budgetWindowRetention } from '../../../../../shared/core/limits/budgets/count/retention.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import {
  budgetFiringRows,
  budgetMonthRows,
  budgetRows,
  budgetWindowRows,
  personWindowRows,
} from '../../../../../shared/core/limits/budgets/rules/model.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { addMember } from '../../../../../shared/people/members.ts';
import { makeTenant } from '../../../../support/factories.ts';
import {
  createTestClock,
  openTestContext,
  type TestClock,
  type TestContext,
} from '../../../../support/harness.ts';
import { recordAll } from '../../../../support/usage.ts';

const START = Date.UTC(2026, 0, 10, 12);
const DAY = 86_400_000;
let clock: TestClock;
let ctx: TestContext;
beforeAll(async () => {
  clock = createTestClock(START);
  ctx = await openTestContext({ clock });
});
afterAll(() => ctx.close());

const SCOPES: Partial<BudgetInput>[] = [
  { scope: 'user', scope_id: 'ada' },
  { scope: 'team', scope_id: 'red' },
  { scope: 'project', scope_id: 'shop' },
  { scope: 'team', scope_id: 'red', per: 'user' },
];
const WINDOWS = ['daily', 'monthly', 'quarterly'] as const;

/** An organization with a budget of each scope and window, used in three months. All have the same names. */
async function makeUsed() {
  const { orgId } = await makeTenant(ctx, { timezone: 'UTC' });
  const ada = { org_id: orgId, user_id: 'ada', role: 'member' as const, teams: ['red'] };
  await addMember(ctx, { ...ada, email: `ada@${orgId}.example` });
  const budgets: string[] = [];
  for (const scope of SCOPES)
    for (const window of WINDOWS) {
      const fields = { name: 'B', metric: 'signals', threshold: 1, window, timezone: 'UTC', ...scope };
      budgets.push((await createBudget(ctx, orgId, fields as BudgetInput))._id);
    }
  for (const month of [0, 1, 2]) {
    clock.set(Date.UTC(2026, month, 10, 12));
    await recordAll(ctx, orgId, [{ ts: clock.now(), user_id: 'ada', project_id: 'shop' }]);
  }
  clock.set(START);
  return { orgId, budgets };
}

async function rowsOf(org_id: string) {
  const collections = [budgetRows, budgetWindowRows, budgetMonthRows, personWindowRows, budgetFiringRows];
  return Promise.all(
    collections.map((rows) => rows(ctx).find({ org_id }).sort({ _id: 1 }).toArray() as Promise<object[]>),
  );
}

test('what one organization folds, counts again, changes, removes and purges is no other one of the same names', async () => {
  const own = await makeUsed();
  const other = await makeUsed();
  const before = await rowsOf(other.orgId);
  expect(before.slice(0, 4).map((rows) => rows.length > 0)).toEqual([true, true, false, true]);
  clock.set(Date.UTC(2026, 4, 20));
  expect(await foldMonths(ctx, own.orgId, clock.now())).toBeGreaterThan(0);
  expect(await rowsOf(other.orgId)).toEqual(before);
  await changeMember(ctx, own.orgId, 'ada', { teams: [] });
  expect(await rowsOf(other.orgId)).toEqual(before);
  for (const id of own.budgets.slice(0, 6))
    await changeBudget(ctx, own.orgId, id, { timezone: 'Asia/Tokyo' });
  expect(await rowsOf(other.orgId)).toEqual(before);
  for (const id of own.budgets) await removeBudget(ctx, own.orgId, id);
  expect(await rowsOf(other.orgId)).toEqual(before);
  await budgetWindowRetention.purge(ctx, clock.now() + 100 * DAY, own.orgId);
  expect(await rowsOf(other.orgId)).toEqual(before);
  expect((await rowsOf(own.orgId)).slice(0, 4)).toEqual([[], [], [], []]);
});
