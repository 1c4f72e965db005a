import { describe, expect, test, vi } from 'vitest';
import { apiKeyRows } from '../../shared/core/accounts/keys/model.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { sayMoment } from '../../shared/platform/basics/say-moment.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const f = await fixture();
const { api } = f;

const check = (body: object = {}, as = f.key) => f.send('/api/v1/budgets/check', body, { key: as });
const budget = (fields: object) =>
  f.ask('/api/v1/budgets', { ...BUDGET, scope: 'user', window: 'monthly', ...fields });
const spend = (user_id: string, fields: object) => f.spend({ user_id, ...fields });
/** Amounts are at most a second old, so an answer is waited for. */
const answers = (body: object, expected: object) =>
  vi.waitFor(
    async () => {
      const answer = await check(body);
      expect(answer).toMatchObject({ status: 200, body: expected });
      return answer.body;
    },
    { timeout: PATIENCE_MS },
  );

describe('a check', () => {
  test('lists every budget that the call counts in, oldest first, and none when there is none', async () => {
    const nothing = { allow: true, reason: null, refused_by: null, retry_at: null, budgets: [] };
    expect((await check({ user_id: 'lister' })).body).toEqual(nothing);
    const soft = await budget({ name: 'soft', scope_id: 'lister', enforce: 'soft' });
    const project = await budget({ name: 'none', scope: 'project', scope_id: 'atlas', metric: 'tokens' });
    await budget({ name: 'another', scope_id: 'somebody else', enforce: 'hard' });
    await spend('lister', { cost_usd: 2.5, project_id: 'atlas', tokens_in: 3, tokens_out: 1 });
    const { budgets } = await answers(
      { user_id: 'lister', project_id: 'atlas', model: 'any' },
      { budgets: [{ remaining: 7.5 }, { remaining: 6 }] },
    );
    const like = { per: null, threshold_now: 10, refuses: false, cause: null };
    const used = { scope: 'user', enforce: 'soft', remaining: 7.5, utilization_pct: 25 };
    const other = { scope: 'project', enforce: 'none', remaining: 6, utilization_pct: 40 };
    expect(budgets).toEqual([
      { id: soft.id, name: 'soft', ...like, ...used, resets_at: soft.window_end },
      { id: project.id, name: 'none', ...like, ...other, resets_at: project.window_end },
    ]);
  });

  test('of no project counts where its signal counts, in the project `unassigned`', async () => {
    const unassigned = { name: 'Rest', scope: 'project', scope_id: 'unassigned', enforce: 'hard' };
    const { id } = await budget({ ...unassigned, threshold: 1 });
    await spend('nowhere', { cost_usd: 1 });
    await answers({ user_id: 'nowhere' }, { allow: false, budgets: [{ id, remaining: 0 }] });
    const reserving = { user_id: 'nowhere', estimate_usd: 0.1, ttl_s: 60 };
    const reserved = await f.send('/api/v1/budgets/reserve', reserving);
    expect(reserved.body).toMatchObject({ allow: false });
    expect((await check({ user_id: 'nowhere', project_id: 'atlas' })).body.allow).toBe(true);
    await f.remove(`/api/v1/budgets/${id}`);
  });

  test('refuses beyond a hard threshold, up to it not, and names the budget with least left of those that refuse', async () => {
    await budget({ name: 'soft', scope_id: 'hard', enforce: 'soft', threshold: 1 });
    await budget({ name: 'first', scope_id: 'hard', enforce: 'hard' });
    const second = { name: 'second', scope_id: 'hard', enforce: 'hard', threshold: 9 };
    const { id, window_end } = await budget(second);
    await spend('hard', { cost_usd: 8 });
    await answers({ user_id: 'hard' }, { allow: true, reason: null, budgets: [{}, { remaining: 2 }, {}] });
    const ask = async (estimate_usd: number) => (await check({ user_id: 'hard', estimate_usd })).body;
    expect(await ask(1)).toMatchObject({ allow: true });
    expect(await ask(1.000000001)).toMatchObject({ allow: false, refused_by: { id } });
    expect(await ask(2.5)).toMatchObject({
      allow: false,
      reason: `Budget "second" has $1.00 of $9.00 left until ${sayMoment(window_end)}.`,
      refused_by: { id, name: 'second', cause: 'spent', resets_at: window_end },
      retry_at: window_end,
      budgets: [{ refuses: false, cause: null }, { refuses: true, cause: 'spent' }, { refuses: true }],
    });
    await spend('hard', { cost_usd: 1 });
    await answers({ user_id: 'hard' }, { allow: false, refused_by: { id } });
  });

  test('leaves the decision to on_error where it is not known what reservations hold', async () => {
    await budget({ name: 'blind', scope_id: 'blind', enforce: 'hard', on_error: 'deny' });
    const call = { user_id: 'blind', estimate_usd: 1 };
    await answers(call, { allow: true });
    const denied = await until(async () => {
      const cached = await statusCache(api.ctx).get(f.orgId);
      Object.assign(cached?.value.reserved ?? {}, { readMs: Number.NEGATIVE_INFINITY });
      const { body } = await check(call);
      return body.allow ? null : body;
    });
    expect(denied).toMatchObject({
      reason: 'Budget "blind" cannot be read now, and denies calls until it can.',
      refused_by: { name: 'blind', cause: 'unreadable' },
    });
    await answers(call, { allow: true });
  });

  test('counts a team by its members now', async () => {
    await f.member('mover', { teams: ['red'] });
    await budget({ name: 'red', scope: 'team', scope_id: 'red' });
    await answers({ user_id: 'mover' }, { budgets: [{ name: 'red' }] });
    await changeMember(api.ctx, f.orgId, 'mover', { teams: [] });
    await answers({ user_id: 'mover' }, { budgets: [] });
  });

  test('asks for the own user with a bound key, and for no other', async () => {
    const bound = await f.keyOf('bound', ['budgets:check']);
    await budget({ name: 'own', scope_id: 'bound' });
    await answers({ user_id: 'bound' }, { budgets: [{ name: 'own' }] });
    for (const body of [{}, { user_id: 'bound' }])
      expect((await check(body, bound)).body.budgets).toMatchObject([{ name: 'own' }]);
    expect((await check({ user_id: 'other' }, bound)).body.code).toBe('missing_scope');
  });
});

test.each([{ estimate_usd: -1 }, { estimate_usd: '1' }, { user_id: '' }, { user: 'ada' }])(
  'a check of %j is a 400',
  async (body) => {
    expect((await check(body)).status).toBe(400);
  },
);

test('a revoked key is refused within a second', async () => {
  const { key: doomed, keyId } = await f.tenant();
  expect((await check({}, doomed)).status).toBe(200);
  await apiKeyRows(api.ctx).updateOne({ _id: keyId }, { $set: { revoked_at: new Date() } });
  await until(async () => (await check({}, doomed)).status === 401, { timeoutMs: 1_500 });
});
