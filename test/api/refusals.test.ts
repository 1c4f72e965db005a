import { expect, test } from 'vitest';
import type { BudgetInput } from '../../shared/core/limits/budgets/rules/input.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { refusalRows } from '../../shared/wings/refusals/model.ts';
import { BUDGET, fixture, type Tenant } from '../support/fixture.ts';
import { startApi, until } from '../support/harness.ts';

const fx = await fixture({ clock: '2026-11-24T10:00:00Z', other: true });
const { api, clock, ctx, env, other, tenant: makeTenant } = fx;

interface Row extends Record<string, unknown> {
  user_id: string | null;
  way: string;
  count: number;
}

/** An organization with a hard budget of one dollar, which is used up. */
async function spentTenant(fields: Partial<BudgetInput> = {}): Promise<Tenant & { budgetId: string }> {
  const tenant = await makeTenant();
  const { _id: budgetId } = await tenant.budget({ name: 'All', threshold: 1, enforce: 'hard', ...fields });
  await tenant.record({ ts: clock.now(), user_id: 'ada', cost_usd: 1 });
  for (const at of [api, other])
    await until(async () => (await post(tenant.key, 'budgets/check', {}, at)).allow === false);
  // The refusals of this wait are of an earlier minute.
  await list(tenant.key);
  await list(tenant.key, '', other);
  clock.advance(120_000);
  return { ...tenant, budgetId };
}

async function post(key: string, path: string, body: object, at: Pick<typeof api, 'call'> = api) {
  return (await at.call(`/api/v1/${path}`, { key, body })).body;
}

async function list(key: string, query = '', at: Pick<typeof api, 'call'> = api) {
  const { body, status, text } = await at.call(`/api/v1/refusals${query}`, { key });
  expect(status, text).toBe(200);
  return body as { data: Row[]; total: number | null; has_more: boolean; cursor: string };
}

/** The rows since a moment, which an api has counted or another one has written. */
async function listSince(key: string, sinceMs: number, query = '', at: Pick<typeof api, 'call'> = api) {
  return (await list(key, `?from=${new Date(sinceMs).toISOString()}${query}`, at)).data;
}

const hook = (key: string, hook_event_name: string, more: object = {}) =>
  api.call('/hooks/claude-code', { key, body: { hook_event_name, session_id: 's-hook', ...more } });
const tool = (key: string, name: string, args: object) =>
  api.call('/mcp', {
    key,
    headers: { Accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });

test('the session of a refusal is the last one of any process', async () => {
  const { key } = await spentTenant();
  for (const [at, client_session_id] of [
    [api, 's-1'],
    [other, 's-2'],
    [api, 's-3'],
  ] as const) {
    clock.advance(1_000);
    await post(key, 'budgets/check', { user_id: 'ada', client_session_id }, at);
    const [row] = await listSince(key, clock.now() - 60_000, '&user_id=ada', at);
    expect(row).toMatchObject({ client_session_id });
  }
});

test('a refused call is counted by its way, person, adapter, cause, largest estimate and last session', async () => {
  const { key, keyOf, budgetId } = await spentTenant();
  const bound = await keyOf('ada');
  const since = clock.now();
  const asked = { user_id: 'ada', adapter: 'codex' };
  await post(key, 'budgets/check', { ...asked, estimate_usd: 0.5, client_session_id: 's-1' });
  // Writes what is counted up to now.
  await list(key);
  clock.advance(1_000);
  await post(key, 'budgets/check', { ...asked, estimate_usd: 0.2, client_session_id: 's-2' });
  await post(key, 'budgets/reserve', { ...asked, estimate_usd: 2, ttl_s: 60, client_session_id: 's-3' });
  await hook(bound, 'UserPromptSubmit');
  await hook(bound, 'PreToolUse');
  const said = { 'X-Governor-User': 'ada', 'X-Governor-Estimate-Usd': '0.25', 'X-Governor-Session': 's-4' };
  expect((await api.call('/gate', { key, headers: said })).status).toBe(403);
  const spend = { user_id: 'ada', estimate_usd: 3, client_session_id: 's-5' };
  await tool(key, 'check_spend', spend);
  await tool(key, 'reserve_spend', { ...spend, idempotency_key: 'one' });
  const [first, last] = [new Date(since).toISOString(), new Date(since + 1_000).toISOString()];
  const of = { user_id: 'ada', budget_id: budgetId, budget_name: 'All', cause: 'spent', last_at: last };
  const expected = [
    ['check', 'codex', 2, 0.5, 's-2', first],
    ['reserve', 'codex', 1, 2, 's-3', last],
    ['hook', 'claude-code', 2, null, 's-hook', last],
    ['gate', null, 1, 0.25, 's-4', last],
    ['mcp', null, 2, 3, 's-5', last],
  ].map(([way, adapter, count, largest_estimate_usd, client_session_id, first_at]) => {
    const counted = { way, adapter, count, largest_estimate_usd, client_session_id, first_at };
    return { id: expect.stringMatching(/^rfs_/), ...of, ...counted };
  });
  const rows = await listSince(key, since);
  expect(rows).toHaveLength(5);
  expect(rows).toEqual(expect.arrayContaining(expected));
  expect(rows.at(-1)?.way).toBe('check');
});

test('questions that only read are no refusals, nor are other events of a hook', async () => {
  const { key, keyOf } = await spentTenant();
  const bound = await keyOf('ada');
  const since = clock.now();
  for (const path of ['me/budget', 'me/budget?format=line'])
    await api.call(`/api/v1/${path}`, { key: bound });
  await tool(bound, 'get_budget', {});
  for (const event of ['Stop', 'PostToolUse', 'SessionStart']) await hook(bound, event);
  await post(key, 'budgets/preview', { ...BUDGET, threshold: 1, enforce: 'hard' });
  expect(await listSince(key, since)).toEqual([]);
});

test('a hook is answered whatever its session is called', async () => {
  const { keyOf } = await spentTenant();
  const bound = await keyOf('ada');
  const since = clock.now();
  for (const session_id of ['x'.repeat(3_000), 7, null, ''])
    expect((await hook(bound, 'UserPromptSubmit', { session_id })).body).toMatchObject({ decision: 'block' });
  const rows = await listSince(await keyOf(null, ['usage:read']), since);
  expect(rows).toMatchObject([{ count: 4, client_session_id: null }]);
});

test('two processes count one person in one row, and each other session last', async () => {
  const { key } = await spentTenant();
  const since = clock.now();
  const call = { user_id: 'ada', adapter: 'codex' };
  const sent = [api, other, api, other, other].map((at, index) => {
    const own = { estimate_usd: (index + 1) / 10, client_session_id: `s-${index}` };
    return post(key, 'budgets/check', { ...call, ...own }, at);
  });
  await Promise.all(sent);
  clock.advance(5_000);
  await post(key, 'budgets/check', { ...call, client_session_id: 'last' }, other);
  await listSince(key, since, '', other);
  const rows = await listSince(key, since);
  expect(rows).toMatchObject([{ count: 6, largest_estimate_usd: 0.5, client_session_id: 'last' }]);
  expect([rows[0]?.first_at, rows[0]?.last_at]).toEqual(
    [since, since + 5_000].map((ms) => new Date(ms).toISOString()),
  );
});

test('a process that ends has written what it counted', async () => {
  const { key } = await spentTenant();
  const since = clock.now();
  const ending = await startApi({ env, sharing: ctx, clock });
  await post(key, 'budgets/check', { user_id: 'eve' }, ending);
  await ending.close();
  const ofEve = { user_id: 'eve', first_at: { $gte: new Date(since) } };
  expect(await refusalRows(ctx).countDocuments(ofEve)).toBe(1);
});

test('beyond 1,000 rows in a minute person and adapter are left out, and the count is not', async () => {
  const { key } = await spentTenant();
  const since = clock.now();
  // A check that a busy machine lets pass is no refusal, and is asked again.
  const ask = (at: typeof api, from: number) =>
    Promise.all(
      Array.from({ length: 700 }, (_, index) => {
        const asked = { user_id: `user-${from + index}`, client_session_id: 's' };
        return until(async () => (await post(key, 'budgets/check', asked, at)).allow === false);
      }),
    );
  await ask(api, 0);
  await ask(other, 500);
  await Promise.all([list(key), list(key, '', other)]);
  const rows = [];
  for (let cursor = ''; ; ) {
    const page = await list(key, `?limit=100&from=${new Date(since).toISOString()}${cursor}`);
    rows.push(...page.data);
    if (!page.has_more) break;
    cursor = `&cursor=${page.cursor}`;
  }
  expect(rows.filter(({ user_id }) => user_id !== null)).toHaveLength(1_000);
  expect(rows.filter(({ user_id }) => user_id === null)).toMatchObject([
    { adapter: null, client_session_id: null, count: 200 },
  ]);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(1_400);
});

test('rows are those that were refused from a time on and before another, the newest first', async () => {
  const { key } = await spentTenant();
  const since = clock.now();
  for (const user_id of ['ada', 'bob', 'eve']) {
    await post(key, 'budgets/check', { user_id });
    clock.advance(20_000);
  }
  const users = async (sinceMs: number, query = '') =>
    (await listSince(key, sinceMs, query)).map(({ user_id }) => user_id);
  expect(await users(since)).toEqual(['eve', 'bob', 'ada']);
  expect(await users(since + 10_000)).toEqual(['eve', 'bob']);
  expect(await users(since, `&to=${new Date(since + 20_000).toISOString()}`)).toEqual(['ada']);
});

test('a bound key reads the refusals of its user alone, and names only budgets that it sees', async () => {
  const { key, keyOf, budget, budgetId } = await spentTenant();
  const half = { threshold: 0.5, enforce: 'hard', window: 'monthly' } as const;
  const { _id: each } = await budget({ ...half, name: 'Each', per: 'user' });
  const ask = (user_id: string, estimate_usd: number) =>
    post(key, 'budgets/check', { user_id, estimate_usd });
  await until(async () => (await ask('bob', 9)).refused_by?.id === each);
  clock.advance(60_000);
  const since = clock.now();
  await ask('bob', 0.1);
  for (const user_id of ['bob', 'ada']) await ask(user_id, 9);
  const bob = await keyOf('bob');
  const own = await listSince(bob, since);
  const names = own.map(({ budget_id, budget_name }) => [String(budget_id), budget_name]);
  expect(Object.fromEntries(names)).toEqual({ [each]: 'Each', [budgetId]: null });
  expect(own.map(({ user_id }) => user_id)).toEqual(['bob', 'bob']);
  expect(await listSince(bob, since, '&user_id=ada')).toEqual([]);
  const all = await listSince(key, since);
  expect(new Set(all.map(({ budget_name }) => budget_name))).toEqual(new Set(['All', 'Each']));
  expect(JSON.stringify(all)).not.toMatch(/limit|threshold|remaining|current/);
});

test('an erased person is in no refusal, also of a process that had not written it', async () => {
  const { orgId, key, member } = await spentTenant();
  await member('gone');
  const since = clock.now();
  const call = { user_id: 'gone', adapter: 'of-gone', client_session_id: 'of-gone' };
  await post(key, 'budgets/check', call);
  await list(key);
  await post(key, 'budgets/check', call);
  await post(key, 'budgets/check', call, other);
  await eraseMember(ctx, orgId, 'gone');
  await list(key, '', other);
  const rows = await listSince(key, since);
  expect(rows).toMatchObject([{ user_id: null, adapter: null, client_session_id: null, count: 3 }]);
  expect(await listSince(key, since, '&user_id=gone')).toEqual([]);
  await post(key, 'budgets/check', { ...call, estimate_usd: 5 });
  expect(JSON.stringify(await listSince(key, since))).not.toContain('gone');
});

test('refusals are counted by way and cause in the metrics', async () => {
  const { key } = await spentTenant();
  const countOf = () => fx.metric('governor_refusals_total{way="check",cause="spent"}');
  const before = await countOf();
  await post(key, 'budgets/check', {});
  expect(await countOf()).toBe(before + 1);
});

test('a refusal says until when in the timezone of the budget, and to whom does not see it no more', async () => {
  const { keyOf } = await spentTenant({ window: 'monthly', timezone: 'Europe/Berlin' });
  const bound = await keyOf('ada');
  const { body } = await hook(bound, 'UserPromptSubmit');
  expect(body.reason).toMatch(
    /^A budget of your organization refuses this call until 1 Dec, 00:00 CET\.\nAsk for more: /,
  );
  const refused = await post(bound, 'budgets/check', {});
  expect(refused.retry_at).toBe('2026-11-30T23:00:00.000Z');
  const line = await api.call('/api/v1/me/budget?format=line', { key: bound });
  expect(line.text).toBe('A budget of your organization refuses your calls until 1 Dec, 00:00 CET\n');
});

test('a refusal that ends with a reservation says no end to whom does not see the budget', async () => {
  const { key, keyOf, budget } = await makeTenant();
  const bound = await keyOf('ada');
  await budget({ threshold: 1, enforce: 'hard' });
  await until(async () => {
    const { reservation_id } = await post(key, 'budgets/reserve', { estimate_usd: 0.9, ttl_s: 3_000 });
    return reservation_id === null;
  });
  const held = await until(async () => {
    const answer = await post(bound, 'budgets/check', { estimate_usd: 0.9 });
    return answer.allow ? null : answer;
  });
  const reason = 'A budget of your organization refuses this call.';
  expect(held).toMatchObject({ refused_by: { cause: 'held' }, reason, retry_at: expect.any(String) });
});
