import { expect, test } from 'vitest';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import {
  changeBudget,
  createBudget,
  removeBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import {
  BUDGET_METRICS,
  type Budget,
  budgetRows,
} from '../../../../../shared/core/limits/budgets/rules/model.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { compare } from '../../../../support/budget-oracle.ts';
import { everyCalendar } from '../../../../support/calendars.ts';
import { BUDGET, storesFixture } from '../../../../support/fixture.ts';
import { createTestClock, openTestContext, type TestContext, until } from '../../../../support/harness.ts';
import { pick, seeded } from '../../../../support/random.ts';
import { recordAll, use } from '../../../../support/usage.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 18, 10, 20);
const SEED = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1e9));
const { clock, ctx, tenant } = await storesFixture({ clock: NOW });

/** An organization whose budgets are monthly ones of signals. */
async function start(settings: Parameters<typeof tenant>[0] = {}) {
  const own = await tenant(settings);
  return { ...own, budget: (fields: Partial<BudgetInput> = {}) => own.budget({ ...BASE, ...fields }) };
}
const BASE = { metric: 'signals', threshold: 1e6, window: 'monthly' } as const;

/** Calls of five users in two projects over 34 days, every fifth an error. */
async function fill(target: TestContext, orgId: string, count: number, seed: number): Promise<void> {
  const random = seeded(seed);
  const signals = Array.from({ length: count }, () => ({
    id: `${seed}-${random()}`,
    ts: clock.now() - Math.floor(random() ** 3 * 34 * 24 * HOUR),
    user_id: pick(random, ['ada', 'bob', 'cyd', 'dan', 'eve']),
    project_id: pick(random, ['apollo', 'gemini']),
    tokens_in: Math.floor(random() * 1_000),
    ...(random() < 0.2 ? { error: { code: 'x' } } : {}),
  }));
  await recordAll(target, orgId, signals);
}

async function expectExact(budgets: readonly Budget[]): Promise<void> {
  for (const { _id } of budgets) {
    const budget = (await budgetRows(ctx).findOne({ _id })) as Budget;
    const { expected, found } = await compare(ctx, budget);
    expect(found, `seed ${SEED} ${JSON.stringify(budget)}`).toEqual(expected);
  }
}

test.each([
  ['UTC', 'UTC'],
  ['America/New_York', 'America/New_York'],
  ['Asia/Kathmandu', 'Asia/Kathmandu'],
  ['Asia/Tokyo', 'America/Los_Angeles'],
])(
  'windows counted from the rollups of an organization of %s that is of %s now equal a scan, in any timezone',
  async (before, timezone) => {
    clock.set(NOW - 20 * 24 * HOUR);
    const { orgId, member, budget } = await start({ timezone: before });
    if (before !== timezone) {
      await fill(ctx, orgId, 100, SEED + 2);
      await changeOrganization(ctx, orgId, { timezone });
    }
    clock.set(NOW);
    for (const user of ['ada', 'bob']) await member(user, { teams: ['red'] });
    await fill(ctx, orgId, 300, SEED);
    const budgets: Budget[] = [];
    for (const zone of new Set([before, timezone, 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu']))
      for (const calendar of everyCalendar(NOW, 30))
        budgets.push(await budget({ ...calendar, timezone: zone }));
    for (const metric of BUDGET_METRICS) budgets.push(await budget({ metric }));
    const scopes = { team: 'red', user: 'eve', project: 'apollo' } as const;
    for (const [scope, scope_id] of Object.entries(scopes))
      budgets.push(await budget({ scope: scope as keyof typeof scopes, scope_id, metric: 'tokens' }));
    await expectExact(budgets);
    // The same after more of them has been added by the transactions of the signals.
    await fill(ctx, orgId, 300, SEED + 1);
    await expectExact(budgets);
  },
);

test('a process whose clock is behind counts the window that has begun meanwhile', async () => {
  const hour = NOW - (NOW % HOUR);
  clock.set(hour + 9 * 60_000);
  const { orgId, budget } = await start();
  const behind = await openTestContext({ clock: createTestClock(clock.now() - 55 * 60_000), sharing: ctx });
  const hourly = await budget({ window: 'hourly', metric: 'tokens' });
  await use(ctx, orgId, 1);
  // It shares its windows with no other budget, so it counts them.
  const own = { scope: 'user', scope_id: 'ada', window: 'hourly' } as const;
  const made = await createBudget(behind, orgId, { ...BUDGET, ...BASE, ...own });
  const changed = await changeBudget(behind, orgId, hourly._id, { threshold: 5 });
  await use(ctx, orgId, 1);
  await expectExact([made, changed]);
  await behind.close();
});

test('one of two budgets that share their windows leaves them to the other when it is removed or moves away', async () => {
  clock.set(NOW);
  const { orgId, budget } = await start();
  await fill(ctx, orgId, 50, SEED + 4);
  const [left, removed, moved] = [await budget(), await budget(), await budget()];
  await removeBudget(ctx, orgId, removed._id);
  await changeBudget(ctx, orgId, moved._id, { window: 'daily' });
  await fill(ctx, orgId, 50, SEED + 5);
  await expectExact([left, moved]);
});

test('no signal is lost or counted twice while budgets and teams change', async () => {
  clock.set(NOW);
  const { orgId, member, budget: make } = await start();
  await member('ada', { teams: ['red'] });
  await member('bob');
  const others = await Promise.all([1, 2].map(() => openTestContext({ clock, sharing: ctx })));
  const senders = [ctx, ...others];
  let isChanging = true;
  let sent = 0;
  const sending = senders.map(async (sender, index) => {
    for (let round = 0; isChanging; round += 1) {
      await fill(sender, orgId, 5, SEED + 1_000 * (index + 1) + round);
      sent += 5;
    }
  });
  const budgets: Budget[] = [];
  for (let round = 0; round < 8; round += 1) {
    const scope = (['org', 'team', 'user', 'project'] as const)[round % 4] ?? 'org';
    const scope_id = { org: orgId, team: 'red', user: 'ada', project: 'apollo' }[scope];
    const metric = BUDGET_METRICS[round % BUDGET_METRICS.length] ?? 'signals';
    const budget = await make({ scope, scope_id, metric });
    budgets.push(budget);
    const reached = sent + 10;
    await until(() => sent >= reached, { what: 'signals between the changes' });
    const teams = round % 3 === 0 ? ['red'] : [];
    await changeMember(ctx, orgId, round % 2 === 0 ? 'bob' : 'ada', { teams });
    await changeBudget(ctx, orgId, budget._id, { window: round % 2 === 0 ? 'hourly' : 'weekly' });
  }
  isChanging = false;
  await Promise.all(sending);
  expect(await signalRows(ctx).countDocuments({ org_id: orgId })).toBe(sent);
  expect(sent).toBeGreaterThan(50);
  await expectExact(budgets);
  for (const other of others) await other.close();
});
