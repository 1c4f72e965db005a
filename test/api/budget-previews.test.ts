import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { askedRows } from '../../shared/core/limits/enforcement/state/model.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { type TestApi, until } from '../support/harness.ts';
import { toolCall } from '../support/mcp.ts';

const NOON = Date.UTC(2026, 10, 18, 12);
const DAY_MS = 86_400_000;
const f = await fixture({ clock: NOON, other: true, tenant: { timezone: 'UTC' }, perTest: true });
const { clock, api, other } = f;

const HARD = { ...BUDGET, threshold: 5, enforce: 'hard' };
const preview = (change: object = {}, key = f.key, of?: string) => {
  const query = of === undefined ? '' : `?budget_id=${of}`;
  return f.send(`/api/v1/budgets/preview${query}`, { ...HARD, ...change }, { key });
};
/** The body of a preview, of a change of the budget `of` where it is one. */
const shown = async (...asked: Parameters<typeof preview>) => (await preview(...asked)).body;
const shownOf = (id: string, change: object) => shown(change, f.key, id);
const create = (change: object = {}) => f.ask('/api/v1/budgets', { ...HARD, ...change });
const list = async () => (await f.ask('/api/v1/budgets')).data;

const use = (user_id: string, cost_usd: number, more: object = {}) => f.spend({ user_id, cost_usd, ...more });

/** Puts a raise of an hour in force. */
async function raise(budgetId: string, amount: number, user_id?: string): Promise<void> {
  const [starts_at, ends_at] = [new Date(clock.now()), new Date(clock.now() + 3_600_000)];
  const entry = { raise_id: 'rai_1', amount, starts_at, ends_at, ...(user_id ? { user_id } : {}) };
  await budgetRows(api.ctx).updateOne({ _id: budgetId }, { $push: { raises: entry } });
}

describe('a preview of a budget', () => {
  test('shows what the budget shows once it is created, and creates nothing', async () => {
    await f.member('ada', { teams: ['red'] });
    await use('ada', 4);
    await use('bob', 2.5, { project_id: 'solo', model: 'claude-sonnet-4-5', provider: 'anthropic' });
    await use('ada', 3, { ts: clock.now() - 2 * DAY_MS });
    const budgets = [
      {},
      { enforce: 'soft' },
      { metric: 'signals', threshold: 2 },
      { metric: 'sessions', threshold: 9, window: 'hourly' },
      { scope: 'team', scope_id: 'red' },
      { scope: 'project', scope_id: 'solo', threshold: 2.5 },
      { scope: 'user', scope_id: 'bob', threshold: 1, window: 'monthly' },
      { scope: 'user', scope_id: 'nobody' },
      { filter: { providers: ['anthropic'] } },
      { window: 'rolling', rolling_days: 2 },
      { window: 'rolling', rolling_days: 3, threshold: 9.5 },
      { window: 'quarterly', fiscal_start_month: 2 },
      { window: 'total', starts_on: '2026-11-17' },
    ];
    for (const budget of budgets) {
      const { status, body, text } = await preview(budget);
      expect(status, text).toBe(200);
      expect(await list(), JSON.stringify(budget)).toEqual([]);
      const { asked, people, ...seen } = body;
      expect(people).toBeNull();
      const made = await create(budget);
      expect(made, JSON.stringify(budget)).toMatchObject(seen);
      await f.remove(`/api/v1/budgets/${made.id}`);
    }
  });

  test('shows the person of a template who is furthest, and how many it would refuse', async () => {
    for (const [user_id, cost] of Object.entries({ ada: 7.25, bob: 5, cyd: 4.99 })) await use(user_id, cost);
    await use('dan', 9, { ts: clock.now() - DAY_MS });
    expect(await shown({ per: 'user' })).toEqual({
      current: 7.25,
      threshold: 5,
      utilization_pct: 145,
      state: 'exceeded',
      refuses_now: true,
      people: 2,
      asked: { check: null, reserve: null, hook: null, gate: null },
    });
    const none = { refuses_now: false, people: 0 };
    expect(await shown({ per: 'user', enforce: 'none' })).toMatchObject(none);
    const later = await shown({ per: 'user', window: 'hourly', threshold: 8 });
    expect(later).toMatchObject({ state: 'warning', ...none });
  });

  test('shows 0 where nothing was used, and nothing of another organization', async () => {
    const { key } = await f.tenant();
    const { id } = await create();
    await use('ada', 7);
    expect(await shown({}, key)).toMatchObject({ current: 0, state: 'ok', refuses_now: false });
    expect((await shown({ scope: 'org', scope_id: f.orgId }, key)).errors[0].pointer).toBe('/scope_id');
    expect((await shown({}, key, id)).code).toBe('not_found');
  });

  test('of a change counts the exceptions and the raises of people', async () => {
    const each = { per: 'user' } as const;
    const { id } = await create(each);
    for (const [user_id, cost] of Object.entries({ ada: 7, bob: 6, cyd: 5, dan: 4 }))
      await use(user_id, cost);
    const except = (user_id: string, body: object) =>
      f.send(`/api/v1/budgets/${id}/people/${user_id}`, body, { method: 'PUT' });
    expect((await except('ada', { exempt: true })).status).toBe(200);
    expect((await except('bob', { threshold: 8 })).status).toBe(200);
    await raise(id, 2e9, 'cyd');
    // Dan's 4 of 4 dollars are more than Cyd's 5 of 4 + 2 and than Bob's 6 of 8.
    const dan = { current: 4, threshold: 4, utilization_pct: 100, refuses_now: true, people: 1 };
    expect(await shownOf(id, { ...each, threshold: 4 })).toMatchObject(dan);
    expect(await shown({ ...each, threshold: 4 })).toMatchObject({ current: 7, people: 4 });
    clock.set(NOON + 3_600_000);
    const after = await shownOf(id, { ...each, threshold: 4 });
    expect(after).toMatchObject({ current: 5, threshold: 4, people: 2 });
  });

  test('of a change counts the raises in force of the budget, also when nothing was used', async () => {
    const { id } = await create();
    await raise(id, 2.5e9);
    expect(await shownOf(id, {})).toMatchObject({ current: 0, threshold: 7.5, state: 'ok' });
    await use('ada', 6);
    const after = await shownOf(id, {});
    expect(after).toMatchObject({ current: 6, threshold: 7.5, utilization_pct: 80, refuses_now: false });
    const read = await f.ask(`/api/v1/budgets/${id}`);
    expect([read.threshold_now, read.utilization_pct]).toEqual([after.threshold, after.utilization_pct]);
    expect(await shownOf(id, { threshold: 3.5 })).toMatchObject({ threshold: 6, refuses_now: true });
    expect(await list()).toEqual([read]);
  });

  test.each([
    [{ scope: 'team', scope_id: 'ghosts' }, '/scope_id'],
    [{ window: 'rolling' }, '/rolling_days'],
    [{ per: 'user', scope: 'project', scope_id: 'x' }, '/per'],
    [{ threshold: 0 }, '/threshold'],
  ])('refuses what a creation refuses: %j', async (change, pointer) => {
    const { errors, ...asked } = await shown(change);
    expect([asked.code, errors[0].pointer]).toEqual(['invalid_request', pointer]);
    const made = await f.send('/api/v1/budgets', { ...HARD, ...change });
    expect([made.status, made.body.errors]).toEqual([400, errors]);
  });

  test('needs a key that may write budgets and read the usage of everybody', async () => {
    const [write, read] = ['budgets:write', 'usage:read'] as const;
    const keys = [
      await f.keyOf(null, [write]),
      await f.keyOf(null, [read]),
      await f.keyOf('ada', [write, read]),
    ];
    for (const as of keys)
      expect(await preview({}, as)).toMatchObject({ status: 403, body: { code: 'missing_scope' } });
    expect((await preview({}, await f.keyOf(null, [write, read]))).status).toBe(200);
  });
});

test('a budget refuses now when it is hard and its usage has reached its threshold', async () => {
  const hard = await create({});
  await create({ enforce: 'soft' });
  const each = await create({ per: 'user' });
  const refusing = async () =>
    (await list()).flatMap((one: { id: string; refuses_now: boolean }) => (one.refuses_now ? one.id : []));
  await use('ada', 3);
  await use('bob', 2);
  expect(await refusing()).toEqual([hard.id]);
  await use('ada', 2);
  expect(new Set(await refusing())).toEqual(new Set([hard.id, each.id]));
  const raised = await f.patch(`/api/v1/budgets/${hard.id}`, { threshold: 7.5 });
  expect(raised.body.refuses_now).toBe(false);
});

describe('asked', () => {
  const asked = async (as = f.key) => (await shown({}, as)).asked;
  const NEVER = { check: null, reserve: null, hook: null, gate: null };
  const callTool = (name: string, args: object, key: string) =>
    api.call('/mcp', { key, ...toolCall(name, args) });
  const RESERVED = { estimate_usd: 0.1, ttl_s: 60 };

  test.each<[string, keyof typeof NEVER, (key: string) => Promise<{ status: number }>]>([
    ['a check', 'check', (key) => f.send('/api/v1/budgets/check', {}, { key })],
    ['the tool check_spend', 'check', (key) => callTool('check_spend', { estimate_usd: 0.1 }, key)],
    ['a reservation', 'reserve', (key) => f.send('/api/v1/budgets/reserve', RESERVED, { key })],
    [
      'the tool reserve_spend',
      'reserve',
      (key) => callTool('reserve_spend', { ...RESERVED, idempotency_key: 'one' }, key),
    ],
    ['a hook', 'hook', (key) => f.send('/hooks/claude-code', { hook_event_name: 'Stop' }, { key })],
    ['the gate', 'gate', (key) => f.send('/gate', undefined, { key })],
  ])('shows when somebody last asked by %s', async (_, way, ask) => {
    const stranger = await f.tenant();
    const now = { ...NEVER, [way]: new Date(NOON).toISOString() };
    for (const key of [f.key, stranger.key]) {
      expect(await asked(key)).toEqual(NEVER);
      expect((await ask(key)).status).toBe(200);
      await until(async () => (await asked(key))[way] !== null);
      expect(await asked(key)).toEqual(now);
    }
    clock.set(NOON + 7 * DAY_MS);
    expect((await asked())[way]).not.toBeNull();
    clock.set(NOON + 7 * DAY_MS + 1);
    expect(await asked()).toEqual(NEVER);
  });

  test('is written at most once per minute, whichever process is asked', async () => {
    const writes = [api, other].map(({ ctx }) => vi.spyOn(askedRows(ctx), 'updateOne'));
    onTestFinished(() => void vi.restoreAllMocks());
    const check = async (at: TestApi) => {
      await at.call('/api/v1/budgets/check', { key: f.key, body: {} });
      await Promise.allSettled(writes.flatMap(({ mock }) => mock.results.map(({ value }) => value)));
    };
    await check(api);
    clock.set(NOON + 59_999);
    await check(api);
    await check(other);
    expect(writes.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect((await asked()).check).toBe(new Date(NOON).toISOString());
    clock.set(NOON + 60_000);
    await check(api);
    expect((await asked()).check).toBe(new Date(NOON + 60_000).toISOString());
  });
});
