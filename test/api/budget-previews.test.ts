import { describe, expect, test } from 'vitest';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { type TestApi, until } from '../support/harness.ts';

const NOON = Date.UTC(2026, 10, 18, 12);
const DAY_MS = 86_400_000;
const f = await fixture({ clock: NOON, other: true, tenant: { timezone: 'UTC' }, perTest: true });
const { clock, api, other } = f;

const HARD = { ...BUDGET, threshold: 5, enforce: 'hard' };
const preview = (change: object = {}, key = f.key, of?: string) =>
  f.send(
    `/api/v1/budgets/preview${of === undefined ? '' : `?budget_id=${of}`}`,
    { ...HARD, ...change },
    { key },
  );
/** The body of a preview, of a change of the budget `of` where it is one. */
const shown = async (change: object = {}, key = f.key, of?: string) => (await preview(change, key, of)).body;
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
    expect(await shown({ per: 'user', enforce: 'none' })).toMatchObject({ refuses_now: false, people: 0 });
    expect(await shown({ per: 'user', window: 'hourly', threshold: 8 })).toMatchObject({
      state: 'warning',
      refuses_now: false,
      people: 0,
    });
  });

  test('shows 0 where nothing was used, and nothing of another organization', async () => {
    const stranger = await f.tenant();
    await use('ada', 7);
    expect(await shown({}, stranger.key)).toMatchObject({ current: 0, state: 'ok', refuses_now: false });
    const foreign = await preview({ scope: 'org', scope_id: f.orgId }, stranger.key);
    expect([foreign.status, foreign.body.errors[0].pointer]).toEqual([400, '/scope_id']);
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
    expect(await shownOf(id, { ...each, threshold: 4 })).toMatchObject({
      // Dan's 4 of 4 dollars are more than Cyd's 5 of 4 + 2 and than Bob's 6 of 8.
      current: 4,
      threshold: 4,
      utilization_pct: 100,
      refuses_now: true,
      people: 1,
    });
    expect(await shown({ ...each, threshold: 4 })).toMatchObject({ current: 7, people: 4 });
    clock.set(NOON + 3_600_000);
    expect(await shownOf(id, { ...each, threshold: 4 })).toMatchObject({
      current: 5,
      threshold: 4,
      people: 2,
    });
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

  test('of a change refuses what the change refuses', async () => {
    const { id } = await create();
    await raise(id, 1e9);
    const other = await preview({ metric: 'signals' }, f.key, id);
    expect([other.status, other.body.code]).toEqual([409, 'conflict']);
    const stranger = await f.tenant();
    for (const missing of [await preview({}, f.key, 'bud_unknown'), await preview({}, stranger.key, id)])
      expect([missing.status, missing.body.code]).toEqual([404, 'not_found']);
    expect((await preview({}, f.key, '')).status).toBe(400);
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
    const keys = [
      await f.keyOf(null, ['budgets:write']),
      await f.keyOf(null, ['usage:read']),
      await f.keyOf('ada', ['budgets:write', 'usage:read']),
    ];
    for (const as of keys) {
      const { status, body } = await preview({}, as);
      expect([status, body.code]).toEqual([403, 'missing_scope']);
    }
    expect((await preview({}, await f.keyOf(null, ['budgets:write', 'usage:read']))).status).toBe(200);
  });
});

describe('a budget', () => {
  test('refuses now when it is hard and its usage has reached its threshold', async () => {
    const hard = await create({});
    await create({ enforce: 'soft' });
    const each = await create({ per: 'user' });
    await use('ada', 3);
    await use('bob', 2);
    const refusing = async () => {
      const all: { id: string; refuses_now: boolean }[] = await list();
      return new Set(all.filter(({ refuses_now }) => refuses_now).map(({ id }) => id));
    };
    expect(await refusing()).toEqual(new Set([hard.id]));
    await use('ada', 2);
    expect(await refusing()).toEqual(new Set([hard.id, each.id]));
    const raised = await f.patch(`/api/v1/budgets/${hard.id}`, { threshold: 7.5 });
    expect(raised.body.refuses_now).toBe(false);
  });
});

describe('asked', () => {
  const asked = async (as = f.key) => (await shown({}, as)).asked;
  const NEVER = { check: null, reserve: null, hook: null, gate: null };
  const callTool = (name: string, args: object, key: string) => {
    const headers = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    return f.send('/mcp', message, { key, headers });
  };
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
    expect((await ask(f.key)).status).toBe(200);
    await until(async () => (await asked())[way] !== null);
    expect(await asked()).toEqual(now);
    expect(await asked(stranger.key)).toEqual(NEVER);
    expect((await ask(stranger.key)).status).toBe(200);
    await until(async () => (await asked(stranger.key))[way] !== null);
    expect(await asked(stranger.key)).toEqual(now);
    clock.set(NOON + 7 * DAY_MS);
    expect((await asked())[way]).not.toBeNull();
    clock.set(NOON + 7 * DAY_MS + 1);
    expect(await asked()).toEqual(NEVER);
  });

  test('is written at most once per minute, whichever process is asked', async () => {
    const written = [countWrites(api), countWrites(other)];
    const check = (at: TestApi) => at.call('/api/v1/budgets/check', { key: f.key, body: {} });
    await check(api);
    await until(() => written[0]?.() === 1);
    clock.set(NOON + 59_999);
    await check(api);
    await check(other);
    await until(() => written[1]?.() === 1);
    expect((await asked()).check).toBe(new Date(NOON).toISOString());
    expect(written[0]?.()).toBe(1);
    clock.set(NOON + 60_000);
    await check(api);
    await until(async () => (await asked()).check === new Date(NOON + 60_000).toISOString());
  });
});

/** Returns how many writes of `asked` the MongoDB of a process has answered since. */
function countWrites({ ctx }: TestApi): () => number {
  const sent = new Set<number>();
  let answered = 0;
  const count = ({ requestId }: { requestId: number }) => {
    if (sent.has(requestId)) answered += 1;
  };
  ctx.db.connection
    .getClient()
    .on('commandStarted', ({ command, requestId }) => {
      if (command.update === 'budget_asks') sent.add(requestId);
    })
    .on('commandSucceeded', count)
    .on('commandFailed', count);
  return () => answered;
}
