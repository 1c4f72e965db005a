import { beforeAll, describe, expect, test } from 'vitest';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { listBudgets } from '../../shared/core/limits/budgets/show/read-budgets.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-18T10:20:00Z');
const f = await fixture({ clock: NOW, tenant: { timezone: 'Europe/Berlin' } });
const { api } = f;
beforeAll(async () => {
  await f.member('ada', { teams: ['red'] });
});

const month = { name: 'Month', scope: 'org', metric: 'cost_usd', threshold: 12.5, window: 'monthly' };
const post = (body: unknown, as = f.key) => f.send('/api/v1/budgets', body, { key: as });

/** Fields that all have one value. */
const each = (value: null | 0, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, value] as const));

describe('a budget', () => {
  test('is created with its window, read, changed and deleted', async () => {
    const created = await post({ ...month, scope_id: f.orgId });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...month,
      ...each(null, 'owner', 'filter', 'per', 'fiscal_start_month', 'rolling_days', 'starts_on', 'unpriced'),
      ...each(null, 'muted_until', 'raised_until', 'top_user_id', 'people', 'last_evaluated_at'),
      ...each(0, 'raised', 'reserved', 'current', 'utilization_pct', 'forecast', 'unpriced_signals'),
      id: expect.stringMatching(/^bud_/),
      scope_id: f.orgId,
      timezone: 'Europe/Berlin',
      enforce: 'none',
      on_error: 'allow',
      reservation_share_pct: 25,
      threshold_now: 12.5,
      remaining: 12.5,
      window_start: '2026-10-31T23:00:00.000Z',
      window_end: '2026-11-30T23:00:00.000Z',
      counted_from: '2026-10-31T23:00:00.000Z',
      state: 'ok',
      refuses_now: false,
      unpriced_models: [],
      revision: 1,
      created_at: '2026-11-18T10:20:00.000Z',
      updated_at: '2026-11-18T10:20:00.000Z',
    });
    const path = `/api/v1/budgets/${created.body.id}`;
    expect(await f.ask(path)).toEqual(created.body);
    const changed = await f.patch(path, { threshold: 20, window: 'daily' });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ threshold: 20, window: 'daily', name: 'Month', revision: 2 });
    const renamed = await f.patch(path, { name: 'Day' });
    expect(renamed.body).toMatchObject({ name: 'Day', revision: 2 });
    const deleted = await f.remove(path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await f.send(path)).status).toBe(404);
  });

  test('keeps its enforcement until that is changed, and changing it lets no level fire again', async () => {
    const { body } = await post({ ...month, enforce: 'hard', on_error: 'deny' });
    expect(body).toMatchObject({ enforce: 'hard', on_error: 'deny', revision: 1 });
    const path = `/api/v1/budgets/${body.id}`;
    const change = (fields: object) => f.patch(path, fields);
    expect((await change({ threshold: 30 })).body).toMatchObject({ enforce: 'hard', revision: 2 });
    const softer = await change({ enforce: 'soft', on_error: 'allow' });
    expect(softer.body).toMatchObject({ enforce: 'soft', on_error: 'allow', revision: 2 });
    expect(await f.ask(path)).toEqual(softer.body);
    expect((await change({ enforce: 'strict' })).status).toBe(400);
  });

  test('stands at what was recorded before it was made, and at each signal at once', async () => {
    const user_id = 'standing';
    const send = (cost_usd: number) => f.spend({ ts: NOW, user_id, cost_usd });
    await send(5);
    const { body } = await post({ ...month, scope: 'user', scope_id: user_id, timezone: 'UTC' });
    expect(body).toMatchObject({ current: 5, remaining: 7.5, utilization_pct: 40, state: 'ok' });
    await send(5.12345);
    const path = `/api/v1/budgets/${body.id}`;
    expect(await f.ask(path)).toMatchObject({ current: 10.1234, state: 'warning' });
    await send(5);
    const now = await f.ask(path);
    expect(now).toMatchObject({ current: 15.1234, remaining: 0, state: 'exceeded', utilization_pct: 120.99 });
    // 17.43 of 30 days have passed.
    expect(now.forecast).toBeCloseTo((15.12345 / (17 + 10 / 24 + 20 / 1_440)) * 30, 3);
  });
});

test('a budget is listed at once by a process whose clock is behind', async () => {
  const reader = { orgId: (await f.tenant()).orgId, userId: null };
  const fields = { name: 'B', scope: 'org', metric: 'tokens', window: 'daily', threshold: 1 } as const;
  const { _id } = await createBudget(api.ctx, reader.orgId, fields);
  const behind = { ...api.ctx, clock: { ...api.ctx.clock, now: () => api.ctx.clock.now() - 4_000 } };
  const page = { order: 'desc', limit: 20, after: null, total: null } as const;
  const { rows, total } = await listBudgets(behind, reader, page);
  expect([rows.map(({ id }) => id), total]).toEqual([[_id], 1]);
});

describe('what is not a budget', () => {
  test.each([
    ['a threshold of 0', { threshold: 0 }],
    ['a negative threshold', { threshold: -1 }],
    ['a threshold that is text', { threshold: 'NaN' }],
    ['a threshold of null', { threshold: null }],
    ['more dollars than can be counted', { threshold: 1e8 }],
    ['less than a billionth of a dollar', { threshold: 1e-12 }],
    ['less than a billionth of a token', { metric: 'tokens', threshold: 1e-310 }],
    ['more tokens than can be counted', { metric: 'tokens', threshold: 1e17 }],
    ['an unknown field', { limit: 5 }],
    ['an operator of the store', { scope: 'user', scope_id: { $ne: null } }],
    ['an unknown scope', { scope: 'planet' }],
    ['an unknown metric', { metric: 'joy' }],
    ['an unknown window', { window: 'yearly' }],
    ['an unknown timezone', { timezone: 'Mars/Olympus' }],
    ['an offset for a timezone', { timezone: '+02:00' }],
    ['an unknown organization', { scope_id: 'org_unknown' }],
    ['an unknown team', { scope: 'team', scope_id: 'blue' }],
    ['a user without id', { scope: 'user' }],
    ['no name', { name: '' }],
    ['a filter of no list', { filter: {} }],
    ['a filter of an empty list', { filter: { models: [] } }],
    ['a filter of 21 values', { filter: { adapters: Array.from({ length: 21 }, (_, at) => `a${at}`) } }],
    ['a filter of 129 characters', { filter: { providers: ['x'.repeat(129)] } }],
    ['a filter of another list', { filter: { users: ['ada'] } }],
    ['a filter of sessions', { metric: 'sessions', filter: { adapters: ['codex'] } }],
    ['a rolling day', { window: 'rolling', rolling_days: 1 }],
    ['32 rolling days', { window: 'rolling', rolling_days: 32 }],
    ['days of another window', { window: 'daily', rolling_days: 7 }],
    ['rolling days of each user', { window: 'rolling', rolling_days: 7, per: 'user' }],
    ['a thirteenth month', { window: 'quarterly', fiscal_start_month: 13 }],
    ['a fiscal month of months', { window: 'monthly', fiscal_start_month: 4 }],
    ['a start of a quarter', { window: 'quarterly', starts_on: '2026-01-01' }],
    ['a total from tomorrow on', { window: 'total', starts_on: '2026-11-19' }],
    ['a total of more than ten years', { window: 'total', starts_on: '2016-11-17' }],
    ['a day that is none', { window: 'total', starts_on: '2026-02-30' }],
    ['a template of a project', { scope: 'project', scope_id: 'x', per: 'user' }],
    ['a template of a user', { scope: 'user', scope_id: 'ada', per: 'user' }],
    ['a template of teams', { per: 'team' }],
  ])('%s is a 400, also as a change', async (_what, wrong) => {
    const refused = await post({ ...month, ...wrong });
    // It names the last field of each, but for one that is only wrong beside another.
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining(Object.keys(wrong).at(-1) ?? ''),
    ]);
    const { body } = await post({ ...month, scope: 'team', scope_id: 'red' });
    const path = `/api/v1/budgets/${body.id}`;
    const change = 'scope_id' in wrong && !('scope' in wrong) ? { scope: 'org', ...wrong } : wrong;
    const answer = await f.patch(path, change);
    expect(answer.status, answer.text).toBe(400);
    expect(await f.ask(path)).toMatchObject({ revision: 1, threshold: 12.5 });
  });

  test.each(['1e309', 'NaN'])('the number %s is a 400', async (number) => {
    const body = JSON.stringify({ ...month, threshold: 1 });
    expect((await post(body.replace('"threshold":1', `"threshold":${number}`))).status).toBe(400);
  });
});

test('a key that is bound to a user makes, changes and deletes no budget, also none of that user', async () => {
  const { id } = (await post({ ...month, scope: 'user', scope_id: 'bound' })).body;
  const key = await f.keyOf('bound', ['usage:read', 'budgets:write']);
  const path = `/api/v1/budgets/${id}`;
  const answers = [await post(month, key), await f.patch(path, { threshold: 99 }, { key })];
  for (const { status } of [...answers, await f.remove(path, { key })]) expect(status).toBe(403);
});
