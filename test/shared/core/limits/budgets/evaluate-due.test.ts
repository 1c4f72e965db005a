import { beforeEach, describe, expect, test } from 'vitest';
import { changeBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { listBudgets, readBudget } from '../../../../../shared/core/limits/budgets/show/read-budgets.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { type DueRow, dueRows } from '../../../../../shared/platform/due/model.ts';
import { sweepDue } from '../../../../../shared/platform/due/sweep-due.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { createTestClock, openTestContext, type TestContext } from '../../../../support/harness.ts';
import { use } from '../../../../support/usage.ts';
import { readEvents, type StoredEvent, subscribeToAll } from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const HOUR = 3_600_000;
const own = await storesFixture({ clock: NOW, perTest: true });
const { clock, ctx } = own;

let orgId: string;
beforeEach(async () => {
  clock.set(NOW);
  ({ orgId } = own);
  await subscribeToAll(ctx, orgId);
});

const make = (fields: Parameters<typeof own.budget>[0] = {}) =>
  own.budget({ name: 'Month', metric: 'signals', threshold: 100, window: 'monthly', ...fields });
const post = (count: number, fields: object = {}) => use(ctx, orgId, count, fields);
const evaluate = (by = ctx) => evaluateDue(by, orgId);

async function events(): Promise<StoredEvent[]> {
  return (await readEvents(ctx, orgId)).filter(({ type }) => type.startsWith('budget.'));
}

const types = async () => (await events()).map(({ type }) => type);

describe('firing', () => {
  test('79 % is silent; 130 % in one step raises warning, then exceeded', async () => {
    const budget = await make();
    await post(79);
    expect(await evaluate()).toBe(0);
    await post(51);
    expect(await evaluate()).toBe(2);
    const [warning, exceeded, ...more] = await events();
    expect(more).toEqual([]);
    expect(warning).toMatchObject({ type: 'budget.warning', org_id: orgId });
    const told = {
      budget_id: budget._id,
      budget_name: 'Month',
      threshold: 100,
      current: 130,
      scope: 'org',
      scope_id: orgId,
    };
    expect(warning?.data).toEqual({ ...told, event_id: warning?.id });
    expect(exceeded?.data).toEqual({ ...told, window: 'monthly', metric: 'signals' });
    expect(Date.parse(exceeded?.ts ?? '')).toBeGreaterThanOrEqual(Date.parse(warning?.ts ?? ''));
  });

  test('a threshold between two counts fires at the next one, and holds up no other budget', async () => {
    const budget = await make({ threshold: 2.3 });
    await make({ threshold: 1 });
    const seen: (string | number)[][] = [];
    for (let count = 1; count <= 3; count += 1) {
      await post(1);
      const fired = await evaluate();
      const { state, remaining } = await readBudget(ctx, orgId, budget._id);
      seen.push([fired, state, remaining]);
    }
    expect(seen).toEqual([
      [2, 'ok', 1.3],
      [1, 'warning', 0.3],
      [1, 'exceeded', 0],
    ]);
  });

  test.each([
    ['below a cent all decimals', 0.0001, 0.000085, 'warning 0.000085 of 0.0001'],
    ['below a cent all decimals, also above it', 0.0001, 0.000123456, 'exceeded 0.000123456 of 0.0001'],
    ['all decimals of what would be rounded up to the threshold', 10, 9.99996, 'warning 9.99996 of 10'],
    ['four decimals of others', 10, 9.000049, 'warning 9 of 10'],
  ])('an event has %s', async (_what, threshold, cost_usd, told) => {
    await make({ metric: 'cost_usd', threshold });
    await post(1, { cost_usd });
    await evaluate();
    const last = (await events()).map(({ type, data }) =>
      [type, data.current, 'of', data.threshold].join(' '),
    );
    expect(last.at(-1)).toBe(`budget.${told}`);
  });

  test('exceeded is told no earlier than its warning, though a worker fires it whose clock is behind', async () => {
    await make();
    await post(80);
    expect(await evaluate()).toBe(1);
    await post(20);
    const behind = await openTestContext({ clock: createTestClock(NOW - 60_000), sharing: ctx });
    expect(await evaluate(behind)).toBe(1);
    await behind.close();
    const [warning, exceeded] = await events();
    expect([warning?.type, exceeded?.type]).toEqual(['budget.warning', 'budget.exceeded']);
    expect(exceeded?.ts).toBe(warning?.ts);
  });

  test('a level fires once a window, however often and by however many workers it is evaluated', async () => {
    await make({ threshold: 50 });
    const others = await Promise.all([1, 2, 3].map(() => openTestContext({ clock, sharing: ctx })));
    const all = [ctx, ...others];
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const worker = all[index % all.length] as TestContext;
        for (const user of [index, index % 7]) await use(worker, orgId, 1, { user_id: `user-${user}` });
        await evaluate(worker);
      }),
    );
    await Promise.all(all.map(evaluate));
    expect(await types()).toEqual(['budget.warning', 'budget.exceeded']);
    expect(await current()).toEqual([100]);
    for (const other of others) await other.close();
  });

  test('a raised threshold fires again when it is reached; a new name alone does not', async () => {
    const budget = await make({ threshold: 10 });
    await post(12);
    await evaluate();
    await changeBudget(ctx, orgId, budget._id, { name: 'Renamed', threshold: 10 });
    expect(await evaluate()).toBe(0);
    await changeBudget(ctx, orgId, budget._id, { threshold: 14 });
    expect(await evaluate()).toBe(1);
    await post(2);
    expect(await evaluate()).toBe(1);
    const levels = ['budget.warning', 'budget.exceeded'];
    expect(await types()).toEqual([...levels, ...levels]);
    const fired = await events();
    expect(new Set(fired.map(({ id }) => id)).size).toBe(4);
    expect(fired.at(-1)?.data).toMatchObject({ budget_name: 'Renamed', threshold: 14, current: 14 });
  });

  test('falling under a level and reaching it again inside one revision stays silent', async () => {
    await own.member('ada', { teams: ['red'] });
    const budget = await make({ scope: 'team', scope_id: 'red', threshold: 10 });
    await post(11);
    expect(await evaluate()).toBe(2);
    for (const [teams, seen] of [
      [[], { current: 0, state: 'ok' }],
      [['red'], { current: 11, state: 'exceeded' }],
    ] as const) {
      await changeMember(ctx, orgId, 'ada', { teams: [...teams] });
      await evaluate();
      expect(await readBudget(ctx, orgId, budget._id)).toMatchObject(seen);
    }
    expect(await types()).toHaveLength(2);
  });
});

describe('windows', () => {
  test('a late signal counts in its own window, which may fire up to 48 h after its end', async () => {
    await make({ window: 'daily', threshold: 10 });
    await post(10, { ts: NOW - 24 * HOUR });
    expect(await evaluate()).toBe(2);
    expect(await current()).toEqual([0]);
    // The 16th ended 10:20 h and two days ago: nothing is said about it any more.
    await post(10, { ts: NOW - 48 * HOUR });
    expect(await evaluate()).toBe(2);
    await post(10, { ts: NOW - 72 * HOUR });
    expect(await evaluate()).toBe(0);
  });

  test('history raises nothing when a budget is made, but more of it does', async () => {
    const yesterday = { ts: NOW - 24 * HOUR };
    await post(10, yesterday);
    await post(9, { ts: NOW - 1 });
    const budget = await make({ window: 'daily', threshold: 10 });
    // Today stands at 90 %, which is worth a warning; yesterday is history.
    expect(await evaluate()).toBe(1);
    await post(1, yesterday);
    expect(await evaluate()).toBe(0);
    await changeBudget(ctx, orgId, budget._id, { threshold: 12 });
    // The new revision: today is under, yesterday (11) is history again, until it reaches 12.
    expect(await evaluate()).toBe(0);
    await post(1, yesterday);
    expect(await evaluate()).toBe(1);
  });

  test.each([
    { when: 'after', told: ['budget.exceeded'] },
    { when: 'before', told: ['budget.warning', 'budget.exceeded'] },
  ])('late signals $when somebody joins a team are told, not what the new member had used', async (row) => {
    await own.member('ada', { teams: ['red'] });
    await own.member('bob');
    await make({ scope: 'team', scope_id: 'red', window: 'daily', threshold: 10 });
    const ts = NOW - 24 * HOUR;
    await post(9, { ts, user_id: 'bob' });
    if (row.when === 'before') await post(10, { ts });
    await changeMember(ctx, orgId, 'bob', { teams: ['red'] });
    if (row.when === 'after') await post(1, { ts });
    await evaluate();
    expect(await types()).toEqual(row.told);
  });

  test('the next window begins at nothing and fires by itself', async () => {
    await make({ window: 'hourly', threshold: 5 });
    await post(5);
    expect(await evaluate()).toBe(2);
    clock.advance(HOUR);
    expect(await current()).toEqual([0]);
    await post(5, { user_id: 'bob' });
    expect(await evaluate()).toBe(2);
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
    await post(5, { project_id: 'apollo' });
    await evaluate();
    const exceeded = (await events()).filter(({ type }) => type === 'budget.exceeded');
    const names = exceeded.map(({ data }) => [data.budget_name, data.scope, data.scope_id].join(' '));
    const expected = named.map((name) => `${name} ${name}`);
    expect(names.toSorted()).toEqual(expected.toSorted());
  });

  test.each([
    ['cost_usd', 0.0302],
    ['tokens', 330],
    ['tokens_in', 300],
    ['tokens_out', 30],
    ['signals', 4],
    ['sessions', 2],
    ['errors', 1],
  ] as const)(
    '%s counts what its name says, and is exceeded when the threshold is met',
    async (metric, amount) => {
      const budget = await make({ metric, threshold: amount });
      await post(1, { cost_usd: 0.01, error: { code: 'overloaded' } });
      await post(1, { cost_usd: 0.0202 });
      await post(1, { model: 'no-such-model', provider: 'nobody', user_id: 'bob' });
      await post(1, { model: undefined, tokens_in: 0, tokens_out: 0, tool_name: 'grep' });
      expect(await evaluate()).toBe(2);
      const used = { current: amount, threshold: amount };
      const view = { ...used, state: 'exceeded', remaining: 0, utilization_pct: 100, unpriced_signals: 1 };
      expect(await readBudget(ctx, orgId, budget._id)).toMatchObject(view);
      expect((await events())[1]?.data).toMatchObject({ metric, ...used });
    },
  );
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
    expect(await evaluate()).toBe(2);
    expect(await dueRows(ctx).countDocuments(raised)).toBe(0);
  });

  test('what comes while an evaluation runs stays due', async () => {
    await make({ threshold: 40 });
    await evaluate();
    let [fired, isPosted] = [0, false];
    void Promise.all(Array.from({ length: 40 }, () => post(1))).then(() => {
      isPosted = true;
    });
    while (!isPosted) fired += await evaluate();
    fired += await evaluate();
    expect(fired).toBe(2);
    expect(await evaluate()).toBe(0);
  });
});

async function waitingOrganizations(): Promise<string[]> {
  await ctx.queues.drained();
  const jobs = await ctx.queues.of('evaluate-budgets').getJobs(['waiting', 'delayed']);
  return jobs.map((job) => job.data.key);
}

async function current(): Promise<number[]> {
  const page = { order: 'asc', limit: 100, after: null, total: null } as const;
  const { rows } = await listBudgets(ctx, { orgId, userId: null }, page);
  return rows.map((view) => view.current);
}
