import { describe, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import {
  changeBudget,
  createBudget,
  removeBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { listBudgets, readBudget } from '../../../../../shared/core/limits/budgets/show/read-budgets.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { addMember } from '../../../../../shared/people/members.ts';
import { type DueRow, dueRows } from '../../../../../shared/platform/due/model.ts';
import { sweepDue } from '../../../../../shared/platform/due/sweep-due.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { createTestClock, openTestContext, type TestContext } from '../../../../support/harness.ts';
import { readEvents, type StoredEvent, subscribeToAll } from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const HOUR = 3_600_000;
const { clock, ctx } = await storesFixture({ clock: NOW });

const base: BudgetInput = {
  name: 'Month',
  scope: 'org',
  metric: 'signals',
  threshold: 100,
  window: 'monthly',
  timezone: 'UTC',
};

async function post(orgId: string, count: number, overrides: Record<string, unknown> = {}): Promise<void> {
  const signals = Array.from({ length: count }, () => makeSignal({ ts: clock.now(), ...overrides }));
  const results = await recordSignals(ctx, senderOf(orgId), signals);
  expect(results.map((result) => result.status)).toEqual(signals.map(() => 'accepted'));
}

async function makeSubscriber(): Promise<{ orgId: string }> {
  const { orgId } = await makeTenant(ctx);
  await subscribeToAll(ctx, orgId);
  return { orgId };
}

async function budgetEvents(orgId: string): Promise<StoredEvent[]> {
  return (await readEvents(ctx, orgId)).filter(({ type }) => type.startsWith('budget.'));
}

const typesOf = (events: StoredEvent[]) => events.map((event) => event.type);

describe('firing', () => {
  test('79 % is silent; 130 % in one step raises warning, then exceeded', async () => {
    clock.set(NOW);
    const { orgId } = await makeSubscriber();
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
      event_id: warning?.id,
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
    expect(Date.parse(exceeded?.ts ?? '')).toBeGreaterThanOrEqual(Date.parse(warning?.ts ?? ''));
  });

  test('a threshold between two counts fires at the next one, and holds up no other budget', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    const budget = await createBudget(ctx, orgId, { ...base, threshold: 2.3 });
    await createBudget(ctx, orgId, { ...base, threshold: 1 });
    const told: number[] = [];
    const views: (string | number)[][] = [];
    for (let count = 1; count <= 3; count += 1) {
      await post(orgId, 1);
      told.push(await evaluateDue(ctx, orgId));
      const { state, remaining } = await readBudget(ctx, orgId, budget._id);
      views.push([state, remaining]);
    }
    expect(told).toEqual([2, 1, 1]);
    expect(views).toEqual([
      ['ok', 1.3],
      ['warning', 0.3],
      ['exceeded', 0],
    ]);
  });

  test.each([
    ['below a cent all decimals', 0.0001, 0.000085, 'budget.warning 0.000085 of 0.0001'],
    [
      'below a cent all decimals, also above it',
      0.0001,
      0.000123456,
      'budget.exceeded 0.000123456 of 0.0001',
    ],
    [
      'all decimals of an amount that would be rounded up to the threshold',
      10,
      9.99996,
      'budget.warning 9.99996 of 10',
    ],
    ['four decimals of others', 10, 9.000049, 'budget.warning 9 of 10'],
  ])('an event has %s', async (_what, threshold, cost_usd, told) => {
    clock.set(NOW);
    const { orgId } = await makeSubscriber();
    await createBudget(ctx, orgId, { ...base, metric: 'cost_usd', threshold });
    await post(orgId, 1, { cost_usd });
    await evaluateDue(ctx, orgId);
    const events = await budgetEvents(orgId);
    expect(events.map(({ type, data }) => [type, data.current, 'of', data.threshold].join(' ')).at(-1)).toBe(
      told,
    );
  });

  test('exceeded is told no earlier than its warning, though a worker fires it whose clock is behind', async () => {
    clock.set(NOW);
    const { orgId } = await makeSubscriber();
    await createBudget(ctx, orgId, base);
    await post(orgId, 80);
    expect(await evaluateDue(ctx, orgId)).toBe(1);
    await post(orgId, 20);
    const behind = await openTestContext({ clock: createTestClock(NOW - 60_000), sharing: ctx });
    expect(await evaluateDue(behind, orgId)).toBe(1);
    await behind.close();
    const [warning, exceeded] = await budgetEvents(orgId);
    expect([warning?.type, exceeded?.type]).toEqual(['budget.warning', 'budget.exceeded']);
    expect(exceeded?.ts).toBe(warning?.ts);
  });

  test('a level fires once a window, however often and by however many workers it is evaluated', async () => {
    clock.set(NOW);
    const { orgId } = await makeSubscriber();
    await createBudget(ctx, orgId, { ...base, threshold: 50 });
    const others = await Promise.all([1, 2, 3].map(() => openTestContext({ clock, sharing: ctx })));
    const all = [ctx, ...others];
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const worker = all[index % all.length] as TestContext;
        await recordSignals(worker, senderOf(orgId), [
          makeSignal({ ts: clock.now(), user_id: `user-${index}` }),
          makeSignal({ ts: clock.now(), user_id: `user-${index % 7}` }),
        ]);
        await evaluateDue(worker, orgId);
      }),
    );
    await Promise.all(all.map((worker) => evaluateDue(worker, orgId)));
    expect(typesOf(await budgetEvents(orgId))).toEqual(['budget.warning', 'budget.exceeded']);
    expect(await current(orgId)).toEqual([100]);
    for (const other of others) await other.close();
  });

  test('a raised threshold fires again when it is reached; a new name alone does not', async () => {
    clock.set(NOW);
    const { orgId } = await makeSubscriber();
    const budget = await createBudget(ctx, orgId, { ...base, threshold: 10 });
    await post(orgId, 12);
    await evaluateDue(ctx, orgId);
    await changeBudget(ctx, orgId, budget._id, { name: 'Renamed', threshold: 10 });
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    await changeBudget(ctx, orgId, budget._id, { threshold: 14 });
    expect(await evaluateDue(ctx, orgId)).toBe(1);
    await post(orgId, 2);
    expect(await evaluateDue(ctx, orgId)).toBe(1);
    const events = await budgetEvents(orgId);
    expect(typesOf(events)).toEqual([
      'budget.warning',
      'budget.exceeded',
      'budget.warning',
      'budget.exceeded',
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    expect(events.at(-1)?.data).toMatchObject({ budget_name: 'Renamed', threshold: 14, current: 14 });
  });

  test('falling under a level and reaching it again inside one revision stays silent', async () => {
    clock.set(NOW);
    const { orgId } = await makeSubscriber();
    await addMember(ctx, {
      org_id: orgId,
      user_id: 'ada',
      email: 'a@example.com',
      role: 'member',
      teams: ['red'],
    });
    const budget = await createBudget(ctx, orgId, { ...base, scope: 'team', scope_id: 'red', threshold: 10 });
    await post(orgId, 11);
    expect(await evaluateDue(ctx, orgId)).toBe(2);
    await changeMember(ctx, orgId, 'ada', { teams: [] });
    await evaluateDue(ctx, orgId);
    expect(await readBudget(ctx, orgId, budget._id)).toMatchObject({
      current: 0,
      state: 'ok',
    });
    await changeMember(ctx, orgId, 'ada', { teams: ['red'] });
    await evaluateDue(ctx, orgId);
    expect(await readBudget(ctx, orgId, budget._id)).toMatchObject({
      current: 11,
      state: 'exceeded',
    });
    expect(typesOf(await budgetEvents(orgId))).toHaveLength(2);
  });

  test('a deleted budget fires no more', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    const budget = await createBudget(ctx, orgId, { ...base, threshold: 1 });
    await post(orgId, 2);
    await removeBudget(ctx, orgId, budget._id);
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    expect(await budgetWindowRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
  });
});

describe('windows', () => {
  test('a late signal counts in its own window, which may fire up to 48 h after its end', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    await createBudget(ctx, orgId, { ...base, window: 'daily', threshold: 10 });
    const yesterday = NOW - 24 * HOUR;
    await post(orgId, 10, { ts: yesterday });
    expect(await evaluateDue(ctx, orgId)).toBe(2);
    expect(await current(orgId)).toEqual([0]);
    // The 16th ended 10:20 h and two days ago: nothing is said about it any more.
    await post(orgId, 10, { ts: NOW - 48 * HOUR });
    expect(await evaluateDue(ctx, orgId)).toBe(2);
    await post(orgId, 10, { ts: NOW - 72 * HOUR });
    expect(await evaluateDue(ctx, orgId)).toBe(0);
  });

  test('history raises nothing when a budget is made, but more of it does', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    await post(orgId, 10, { ts: NOW - 24 * HOUR });
    await post(orgId, 9, { ts: NOW - 1 });
    const budget = await createBudget(ctx, orgId, { ...base, window: 'daily', threshold: 10 });
    // Today stands at 90 %, which is worth a warning; yesterday is history.
    expect(await evaluateDue(ctx, orgId)).toBe(1);
    await post(orgId, 1, { ts: NOW - 24 * HOUR });
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    await changeBudget(ctx, orgId, budget._id, { threshold: 12 });
    // The new revision: today is under, yesterday (11) is history again, until it reaches 12.
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    await post(orgId, 1, { ts: NOW - 24 * HOUR });
    expect(await evaluateDue(ctx, orgId)).toBe(1);
  });

  test.each([
    { when: 'after', told: ['budget.exceeded'] },
    { when: 'before', told: ['budget.warning', 'budget.exceeded'] },
  ])('late signals $when somebody joins a team are told, not what the new member had used', async (row) => {
    clock.set(NOW);
    const { orgId } = await makeSubscriber();
    const member = { org_id: orgId, role: 'member' } as const;
    await addMember(ctx, { ...member, user_id: 'ada', email: 'a@example.com', teams: ['red'] });
    await addMember(ctx, { ...member, user_id: 'bob', email: 'b@example.com', teams: [] });
    const budget = { ...base, scope: 'team', scope_id: 'red', window: 'daily', threshold: 10 } as const;
    await createBudget(ctx, orgId, budget);
    const yesterday = NOW - 24 * HOUR;
    const late = () => post(orgId, row.when === 'after' ? 1 : 10, { ts: yesterday, user_id: 'ada' });
    await post(orgId, 9, { ts: yesterday, user_id: 'bob' });
    if (row.when === 'before') await late();
    await changeMember(ctx, orgId, 'bob', { teams: ['red'] });
    if (row.when === 'after') await late();
    await evaluateDue(ctx, orgId);
    expect(typesOf(await budgetEvents(orgId))).toEqual(row.told);
  });

  test('the next window begins at nothing and fires by itself', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    await createBudget(ctx, orgId, { ...base, window: 'hourly', threshold: 5 });
    await post(orgId, 5);
    expect(await evaluateDue(ctx, orgId)).toBe(2);
    clock.advance(HOUR);
    expect(await current(orgId)).toEqual([0]);
    await post(orgId, 5, { user_id: 'bob' });
    expect(await evaluateDue(ctx, orgId)).toBe(2);
  });
});

describe('scopes and metrics', () => {
  test('every matching budget fires and names itself; a user in two teams counts in both', async () => {
    clock.set(NOW);
    const { orgId } = await makeSubscriber();
    const member = { org_id: orgId, user_id: 'ada', email: 'a@example.com', role: 'member' as const };
    await addMember(ctx, { ...member, teams: ['red', 'blue'] });
    await addMember(ctx, { ...member, user_id: 'bob', email: 'b@example.com', teams: ['green'] });
    const scopes = [
      ['org', orgId],
      ['team', 'red'],
      ['team', 'blue'],
      ['team', 'green'],
      ['project', 'apollo'],
      ['project', 'gemini'],
      ['user', 'ada'],
      ['user', 'bob'],
    ] as const;
    for (const [scope, scope_id] of scopes)
      await createBudget(ctx, orgId, { ...base, name: scope_id, scope, scope_id, threshold: 5 });
    await post(orgId, 5, { user_id: 'ada', project_id: 'apollo' });
    await evaluateDue(ctx, orgId);
    const exceeded = (await budgetEvents(orgId)).filter((event) => event.type === 'budget.exceeded');
    expect(
      exceeded.map(({ data }) => [data.scope, data.scope_id, data.budget_name].join(' ')).sort(),
    ).toEqual(
      [
        `org ${orgId} ${orgId}`,
        'project apollo apollo',
        'team blue blue',
        'team red red',
        'user ada ada',
      ].sort(),
    );
  });

  test.each([
    ['cost_usd', 0.0302, 0.0302],
    ['tokens', 330, 330],
    ['tokens_in', 300, 300],
    ['tokens_out', 30, 30],
    ['signals', 4, 4],
    ['sessions', 2, 2],
    ['errors', 1, 1],
  ] as const)(
    '%s counts what its name says, and is exceeded when the threshold is met',
    async (metric, threshold, amount) => {
      clock.set(NOW);
      const { orgId } = await makeSubscriber();
      const budget = await createBudget(ctx, orgId, { ...base, metric, threshold });
      await post(orgId, 1, { cost_usd: 0.01, error: { code: 'overloaded' } });
      await post(orgId, 1, { cost_usd: 0.0202 });
      await post(orgId, 1, { model: 'no-such-model', provider: 'nobody', user_id: 'bob' });
      await post(orgId, 1, { model: undefined, tokens_in: 0, tokens_out: 0, tool_name: 'grep' });
      expect(await evaluateDue(ctx, orgId)).toBe(2);
      const view = await readBudget(ctx, orgId, budget._id);
      expect(view).toMatchObject({ current: amount, threshold, state: 'exceeded', remaining: 0 });
      expect(view).toMatchObject({ utilization_pct: 100, unpriced_signals: 1 });
      const [, exceeded] = await budgetEvents(orgId);
      expect(exceeded?.data).toMatchObject({ metric, threshold, current: amount });
    },
  );
});

describe('lost wake-ups', () => {
  test('usage whose wake-up was lost is found by the sweeper, also after a worker died with it', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    await createBudget(ctx, orgId, { ...base, threshold: 1 });
    await evaluateDue(ctx, orgId);
    await post(orgId, 1);
    await ctx.queues.drained();
    await ctx.queues.of('evaluate-budgets').obliterate({ force: true });
    clock.advance(3_000);
    await sweepDue(ctx);
    await ctx.queues.drained();
    expect(await waitingOrganizations()).toContain(orgId);
    // As a worker leaves it that dies between taking what is due and evaluating it.
    const raised = { kind: 'evaluate-budgets', org_id: orgId };
    const due = (await dueRows(ctx).findOne(raised)) as DueRow;
    await dueRows(ctx).deleteMany(raised);
    await dueRows(ctx).insertOne({ ...due, _id: `evaluate-budgets ${orgId}/claimed`, claim_id: 'dead' });
    await ctx.queues.of('evaluate-budgets').obliterate({ force: true });
    await sweepDue(ctx);
    await ctx.queues.drained();
    expect(await waitingOrganizations()).toContain(orgId);
    expect(await evaluateDue(ctx, orgId)).toBe(2);
    expect(await dueRows(ctx).countDocuments(raised)).toBe(0);
  });

  test('what comes while an evaluation runs stays due', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    await createBudget(ctx, orgId, { ...base, threshold: 40 });
    await evaluateDue(ctx, orgId);
    const posting = Promise.all(Array.from({ length: 40 }, () => post(orgId, 1)));
    let fired = 0;
    let isPosted = false;
    void posting.then(() => {
      isPosted = true;
    });
    while (!isPosted) fired += await evaluateDue(ctx, orgId);
    fired += await evaluateDue(ctx, orgId);
    expect(fired).toBe(2);
    expect(await evaluateDue(ctx, orgId)).toBe(0);
  });
});

async function waitingOrganizations(): Promise<string[]> {
  const jobs = await ctx.queues.of('evaluate-budgets').getJobs(['waiting', 'delayed']);
  return jobs.map((job) => job.data.key);
}

async function current(orgId: string): Promise<number[]> {
  const page = { order: 'asc', limit: 100, after: null, total: null } as const;
  const { rows } = await listBudgets(ctx, { orgId, userId: null }, page);
  return rows.map((view) => view.current);
}
