import { beforeEach, describe, expect, test } from 'vitest';
import { changeBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { readBudget } from '../../../../../shared/core/limits/budgets/show/read-budgets.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { type DueRow, dueRows } from '../../../../../shared/platform/due/model.ts';
import { sweepDue } from '../../../../../shared/platform/due/sweep-due.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { createTestClock, openTestContext, type TestContext } from '../../../../support/harness.ts';
import { use } from '../../../../support/usage.ts';
import {
  budgetEventsOf,
  readEvents,
  type StoredEvent,
  subscribeToAll,
} from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const HOUR = 3_600_000;
const own = await storesFixture({ clock: NOW, perTest: true });
const { clock, ctx } = own;

let orgId: string;
beforeEach(async () => {
  ({ orgId } = own);
  await subscribeToAll(ctx, orgId);
});

const make = (fields: Parameters<typeof own.budget>[0] = {}) =>
  own.budget({ name: 'Month', metric: 'signals', threshold: 100, window: 'monthly', ...fields });
const post = (count: number, fields: object = {}) => use(ctx, orgId, count, fields);

async function events(): Promise<StoredEvent[]> {
  return (await readEvents(ctx, orgId)).filter(({ type }) => type.startsWith('budget.'));
}

const levels = async () => (await events()).map(({ type }) => type.replace('budget.', ''));

/** Evaluates, and returns the levels that have fired. */
async function evaluate(by = ctx): Promise<string> {
  const told = await budgetEventsOf(ctx, orgId, () => evaluateDue(by, orgId));
  return told.map(({ level }) => level).join(' ');
}

/** Uses so much, and evaluates. */
async function spend(count: number, fields: object = {}): Promise<string> {
  await post(count, fields);
  return evaluate();
}

const BOTH = 'warning exceeded';

describe('firing', () => {
  test('79 % is silent; 130 % in one step raises warning, then exceeded', async () => {
    const budget = await make();
    expect(await spend(79)).toBe('');
    expect(await spend(51)).toBe(BOTH);
    const [warning, exceeded, ...more] = await events();
    expect(more).toEqual([]);
    const of = { budget_id: budget._id, budget_name: 'Month', scope: 'org', scope_id: orgId };
    const told = { ...of, threshold: 100, current: 130 };
    expect(warning).toMatchObject({ type: 'budget.warning', org_id: orgId });
    expect(warning?.data).toEqual({ ...told, event_id: warning?.id });
    expect(exceeded?.data).toEqual({ ...told, window: 'monthly', metric: 'signals' });
  });

  test('a threshold between two counts fires at the next one, and holds up no other budget', async () => {
    const budget = await make({ threshold: 2.3 });
    await make({ threshold: 1 });
    for (const [fired, state, remaining] of [
      [BOTH, 'ok', 1.3],
      ['warning', 'warning', 0.3],
      ['exceeded', 'exceeded', 0],
    ]) {
      expect(await spend(1)).toBe(fired);
      expect(await readBudget(ctx, orgId, budget._id)).toMatchObject({ state, remaining });
    }
  });

  test.each([
    ['below a cent all decimals', 0.0001, 0.000085, 'budget.warning', 0.000085],
    ['below a cent all decimals, also above it', 0.0001, 0.000123456, 'budget.exceeded', 0.000123456],
    ['all decimals of what would be rounded up to the threshold', 10, 9.99996, 'budget.warning', 9.99996],
    ['four decimals of others', 10, 9.000049, 'budget.warning', 9],
  ])('an event has %s', async (_what, threshold, cost_usd, type, current) => {
    await make({ metric: 'cost_usd', threshold });
    await spend(1, { cost_usd });
    expect((await events()).at(-1)).toMatchObject({ type, data: { current, threshold } });
  });

  test('exceeded is told no earlier than its warning, though a worker fires it whose clock is behind', async () => {
    await make();
    expect(await spend(80)).toBe('warning');
    await post(20);
    const behind = await openTestContext({ clock: createTestClock(NOW - 60_000), sharing: ctx });
    expect(await evaluate(behind)).toBe('exceeded');
    await behind.close();
    const ts = new Date(NOW).toISOString();
    expect(await events()).toMatchObject([
      { type: 'budget.warning', ts },
      { type: 'budget.exceeded', ts },
    ]);
  });

  test('a level fires once a window, however often and by however many workers it is evaluated', async () => {
    const budget = await make({ threshold: 50 });
    const others = await Promise.all([1, 2, 3].map(() => openTestContext({ clock, sharing: ctx })));
    const all = [ctx, ...others];
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const worker = all[index % all.length] as TestContext;
        for (const user of [index, index % 7]) await use(worker, orgId, 1, { user_id: `user-${user}` });
        await evaluateDue(worker, orgId);
      }),
    );
    await Promise.all(all.map((worker) => evaluateDue(worker, orgId)));
    expect(await levels()).toEqual(['warning', 'exceeded']);
    expect(await readBudget(ctx, orgId, budget._id)).toMatchObject({ current: 100 });
    for (const other of others) await other.close();
  });

  test('a raised threshold fires again when it is reached; a new name alone does not', async () => {
    const budget = await make({ threshold: 10 });
    expect(await spend(12)).toBe(BOTH);
    await changeBudget(ctx, orgId, budget._id, { name: 'Renamed', threshold: 10 });
    expect(await evaluate()).toBe('');
    await changeBudget(ctx, orgId, budget._id, { threshold: 14 });
    expect(await evaluate()).toBe('warning');
    expect(await spend(2)).toBe('exceeded');
    const fired = await events();
    expect(new Set(fired.map(({ id }) => id)).size).toBe(4);
    expect(fired.at(-1)?.data).toMatchObject({ budget_name: 'Renamed', threshold: 14, current: 14 });
  });

  test('falling under a level and reaching it again inside one revision stays silent', async () => {
    await own.member('ada', { teams: ['red'] });
    const budget = await make({ scope: 'team', scope_id: 'red', threshold: 10 });
    expect(await spend(11)).toBe(BOTH);
    for (const [teams, seen] of [
      [[], { current: 0, state: 'ok' }],
      [['red'], { current: 11, state: 'exceeded' }],
    ] as const) {
      await changeMember(ctx, orgId, 'ada', { teams: [...teams] });
      expect(await evaluate()).toBe('');
      expect(await readBudget(ctx, orgId, budget._id)).toMatchObject(seen);
    }
  });
});

describe('windows', () => {
  test('a late signal counts in its own window, which may fire up to 48 h after its end', async () => {
    const budget = await make({ window: 'daily', threshold: 10 });
    expect(await spend(10, { ts: NOW - 24 * HOUR })).toBe(BOTH);
    expect(await readBudget(ctx, orgId, budget._id)).toMatchObject({ current: 0 });
    expect(await spend(10, { ts: NOW - 48 * HOUR })).toBe(BOTH);
    // The 15th ended two days and 10:20 h ago: nothing is said about it any more.
    expect(await spend(10, { ts: NOW - 72 * HOUR })).toBe('');
  });

  test('history raises nothing when a budget is made, but more of it does', async () => {
    const yesterday = { ts: NOW - 24 * HOUR };
    await post(10, yesterday);
    await post(9, { ts: NOW - 1 });
    const budget = await make({ window: 'daily', threshold: 10 });
    // Today stands at 90 %, which is worth a warning; yesterday is history.
    expect(await evaluate()).toBe('warning');
    expect(await spend(1, yesterday)).toBe('');
    await changeBudget(ctx, orgId, budget._id, { threshold: 12 });
    // The new revision: today is under, yesterday (11) is history again, until it reaches 12.
    expect(await evaluate()).toBe('');
    expect(await spend(1, yesterday)).toBe('exceeded');
  });

  test.each([
    { when: 'after', told: 'exceeded' },
    { when: 'before', told: BOTH },
  ])('late signals $when somebody joins a team are told, not what the new member had used', async (row) => {
    await own.member('ada', { teams: ['red'] });
    await own.member('bob');
    await make({ scope: 'team', scope_id: 'red', window: 'daily', threshold: 10 });
    const ts = NOW - 24 * HOUR;
    await post(9, { ts, user_id: 'bob' });
    if (row.when === 'before') await post(10, { ts });
    await changeMember(ctx, orgId, 'bob', { teams: ['red'] });
    if (row.when === 'after') await post(1, { ts });
    expect(await evaluate()).toBe(row.told);
  });
});

describe('scopes and metrics', () => {
  test('every matching budget fires and names itself; a user in two teams counts in both', async () => {
    await own.member('ada', { teams: ['red', 'blue'] });
    await own.member('bob', { teams: ['green'] });
    const named = ['team red', 'team blue', 'project apollo', 'user ada', `org ${orgId}`];
    for (const name of [...named, 'team green', 'project gemini', 'user bob']) {
      const [scope, scope_id] = name.split(' ') as ['org', string];
      await make({ name, scope, scope_id, threshold: 5 });
    }
    await spend(5, { project_id: 'apollo' });
    const exceeded = (await events()).filter(({ type }) => type === 'budget.exceeded');
    const names = exceeded.map(({ data }) => [data.budget_name, data.scope, data.scope_id].join(' '));
    expect(names.toSorted()).toEqual(named.map((name) => `${name} ${name}`).toSorted());
  });

  test('calls without a price are counted as such, and the threshold is exceeded when it is met', async () => {
    const budget = await make({ metric: 'cost_usd', threshold: 0.0302 });
    await post(1, { cost_usd: 0.01 });
    await post(1, { cost_usd: 0.0202 });
    expect(await spend(1, { model: 'no-such-model', provider: 'nobody', user_id: 'bob' })).toBe(BOTH);
    const used = { current: 0.0302, threshold: 0.0302 };
    const view = { ...used, state: 'exceeded', remaining: 0, utilization_pct: 100, unpriced_signals: 1 };
    expect(await readBudget(ctx, orgId, budget._id)).toMatchObject(view);
    expect((await events())[1]?.data).toMatchObject({ metric: 'cost_usd', ...used });
  });
});

describe('lost wake-ups', () => {
  test('usage whose wake-up was lost is found by the sweeper, also after a worker died with it', async () => {
    await make({ threshold: 1 });
    await evaluate();
    await post(1);
    await ctx.queues.drained();
    await ctx.queues.of('evaluate-budgets').obliterate({ force: true });
    clock.advance(3_000);
    await sweepDue(ctx);
    expect(await waitingOrganizations()).toContain(orgId);
    // As a worker leaves it that dies between taking what is due and evaluating it.
    const raised = { kind: 'evaluate-budgets', org_id: orgId };
    const due = (await dueRows(ctx).findOne(raised)) as DueRow;
    await dueRows(ctx).deleteMany(raised);
    await dueRows(ctx).insertOne({ ...due, _id: `evaluate-budgets ${orgId}/claimed`, claim_id: 'dead' });
    await ctx.queues.of('evaluate-budgets').obliterate({ force: true });
    await sweepDue(ctx);
    expect(await waitingOrganizations()).toContain(orgId);
    expect(await evaluate()).toBe(BOTH);
    expect(await dueRows(ctx).countDocuments(raised)).toBe(0);
  });

  test('what comes while an evaluation runs stays due', async () => {
    await make({ threshold: 40 });
    await evaluate();
    let isPosted = false;
    void Promise.all(Array.from({ length: 40 }, () => post(1))).then(() => {
      isPosted = true;
    });
    while (!isPosted) await evaluate();
    await evaluate();
    expect(await levels()).toEqual(['warning', 'exceeded']);
    expect(await evaluate()).toBe('');
  });
});

async function waitingOrganizations(): Promise<string[]> {
  await ctx.queues.drained();
  const jobs = await ctx.queues.of('evaluate-budgets').getJobs(['waiting', 'delayed']);
  return jobs.map((job) => job.data.key);
}
