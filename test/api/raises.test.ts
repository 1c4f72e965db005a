import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { requestRaise } from '../../packages/governor/src/raise.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { SCOPES, type Scope } from '../../shared/platform/basics/contract.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { type RaiseState, raiseRetention, raiseRows } from '../../shared/wings/raises/model.ts';
import { endRaise } from '../../workers/index.ts';
import { BOUND_SCOPES } from '../support/factories.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import type { Person } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const fx = await fixture({ clock: true, idp: true, admin: true, other: true, perTest: true });
const { api, ctx, clock, other } = fx;

let second: Person;
let ada: Person;
let bound: string;
let budgetId: string;
beforeEach(async () => {
  clock.set(Math.floor(Date.now() / 86_400_000) * 86_400_000 + 6 * HOUR_MS);
  [second, ada] = [await fx.person(undefined, 'admin'), await fx.person()];
  bound = await fx.keyOf(ada.userId, ['budgets:check']);
  budgetId = await makeBudget({ name: 'All' });
});

const makeBudget = async (fields: object): Promise<string> =>
  (await fx.ask('/api/v1/budgets', { ...BUDGET, enforce: 'hard', ...fields })).id;
const makeOwnBudget = () => makeBudget({ name: 'Ada', scope: 'user', scope_id: ada.userId });
const ask = (fields: object = {}, key = bound) =>
  fx.send('/api/v1/raises', { budget_id: budgetId, amount: 5, ...fields }, { key });
const asked = async (fields: object = {}): Promise<string> => {
  const made = await ask(fields);
  expect(made.status, made.text).toBe(201);
  return made.body.id;
};
/** Writes raises like one, but for some fields, beside which a person may ask again. */
const addLike = async (id: string, count: number, fieldsOf: (at: number) => object) => {
  const { pending_for: _, ...row } = (await raiseRows(ctx).findOne({ _id: id })) ?? ({} as never);
  const rows = Array.from({ length: count }, (_, at) => ({ ...row, ...fieldsOf(at), _id: newId('rai') }));
  await raiseRows(ctx).insertMany(rows);
};
const act = (id: string, verb: string, key: Person = fx.admin, body: object = {}, at = api) =>
  fx.send(`/v1/raises/${id}/${verb}`, body, { key, at });
/** Asks for a raise, which is approved. Returns its id. */
const granted = async (fields: object = {}): Promise<string> => {
  const id = await asked(fields);
  expect((await act(id, 'approve')).status).toBe(200);
  return id;
};
const spend = (cost_usd: number) => fx.spend({ user_id: ada.userId, cost_usd });
const check = (at = api, of: object = {}) =>
  fx.ask('/api/v1/budgets/check', { estimate_usd: 1, ...of }, { at });
const view = (id = budgetId) => fx.ask(`/api/v1/budgets/${id}`);
const totalOf = async (query: string, key = fx.key) =>
  (await fx.ask(`/api/v1/raises${query}`, undefined, { key })).total;
/** How many raises have come to a state, as the metrics have it. */
const counted = (status: string) => fx.metric(`governor_raises_total{status="${status}"}`);
const audited = async () => (await fx.audited(/^raise\./)).map(({ action }) => action);
const isDue = () => dueRows(ctx).find({ org_id: fx.orgId, kind: endRaise.kind }).toArray();
const runDue = async () => {
  for (const { key } of await isDue()) await endRaise.handle({ key }, ctx);
};
const stateOf = async (id: string) => (await raiseRows(ctx).findOne({ _id: id }))?.state;
/** The states of all raises of the organization. */
const states = async () => {
  const rows = await raiseRows(ctx).find({ org_id: fx.orgId }).toArray();
  return rows.map(({ state }) => state).toSorted();
};
/** The levels that were told, with the usage and the threshold of each. */
const levels = async () =>
  (await readEvents(ctx, fx.orgId))
    .filter(({ type }) => /^budget\.(warning|exceeded)$/.test(type))
    .map(({ type, data }) => `${type} ${String(data.current)} of ${String(data.threshold)}`);
const evaluate = () => evaluateDue(ctx, fx.orgId);

test('the end of a raise alone tells that the limit which is in force then is exceeded', async () => {
  await subscribeToAll(ctx, fx.orgId);
  await granted({ duration_s: 3_600 });
  await spend(11);
  await evaluate();
  expect(await levels()).toEqual([]);
  clock.advance(HOUR_MS);
  await runDue();
  await evaluate();
  expect(await levels()).toEqual(['budget.warning 11 of 10', 'budget.exceeded 11 of 10']);
  expect(await isDue()).toEqual([]);
});

test('a person whose raise has ended is no longer among those of a template, before anybody records the end', async () => {
  const id = await makeBudget({ name: 'Each', per: 'user', threshold: 2 });
  await granted({ budget_id: id, amount: 3, duration_s: 3_600 });
  const people = () => fx.ask(`/api/v1/budgets/${id}/people`);
  expect(await people()).toMatchObject({ data: [{ user_id: ada.userId, raised: 3 }] });
  clock.advance(HOUR_MS);
  expect(await people()).toMatchObject({ data: [], total: 0 });
});

describe('asking for more', () => {
  test('is shown to the person without what they do not see, and to admins whole', async () => {
    const wanted = { amount: 5, duration_s: 3_600, note: 'a migration' };
    const { body: made } = await ask(wanted);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^rai_/),
      budget_id: budgetId,
      budget_name: null,
      user_id: ada.userId,
      ...wanted,
      status: 'pending',
      created_at: new Date(clock.now()).toISOString(),
      expires_at: new Date(clock.now() + 72 * HOUR_MS).toISOString(),
      ends_at: null,
    });
    const whole = await fx.ask(`/v1/raises/${made.id}`, undefined, { key: fx.admin });
    expect(whole).toMatchObject({ budget_name: 'All', created_at: clock.now() / 1_000 });
    const own = await makeOwnBudget();
    expect((await ask({ budget_id: own })).body.budget_name).toBe('Ada');
    expect(await totalOf(`?budget_id=${own}&user_id=${ada.userId}&status=pending`, bound)).toBe(1);
  });

  test('is for budgets that count the person; others look like those that do not exist', async () => {
    const grace = await makeBudget({ name: 'Grace', scope: 'user', scope_id: 'grace' });
    expect((await ask({ budget_id: grace })).body).toMatchObject({ status: 404, code: 'not_found' });
    const project = await makeBudget({ name: 'P', scope: 'project', scope_id: 'checkout' });
    expect((await ask({ budget_id: project })).status).toBe(201);
  });

  test.each([1e16, 1e-12])('is for an amount that can be counted, and not for %d', async (amount) => {
    expect((await ask({ amount })).status).toBe(400);
  });

  test('waits once per person and budget, however many ask at once', async () => {
    const pending = await counted('pending');
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
    const [made, ...others] = answers.toSorted((a, b) => a.status - b.status);
    const id = made?.body.id;
    expect(made?.status).toBe(201);
    for (const { status, body } of others) expect([status, body.id]).toEqual([409, id]);
    expect(await counted('pending')).toBe(pending + 1);
    const before = await counted('withdrawn');
    for (const _ of ['once', 'again']) expect((await act(id, 'withdraw', ada)).body.status).toBe('withdrawn');
    expect(await counted('withdrawn')).toBe(before + 1);
    expect((await ask()).status).toBe(201);
  });

  test('may be done 20 times within 24 hours, whatever others and the namesake in another organization have asked', async () => {
    const first = await asked();
    const { orgId: org_id } = await fx.tenant();
    for (const fields of [{ org_id }, { user_id: 'bob' }]) await addLike(first, 20, () => fields);
    await act(first, 'withdraw', ada);
    for (let time = 1; time < 20; time += 1) await act(await asked(), 'withdraw', ada);
    clock.advance(HOUR_MS);
    const refused = (await ask()).body;
    expect(refused).toMatchObject({ status: 429, code: 'too_many_requests', retry_after_s: 23 * 3_600 });
    clock.advance(refused.retry_after_s * 1_000);
    expect((await ask()).status).toBe(201);
  });

  test('is refused while 1,000 wait in the organization, and those of others, answered and expired ones are none of them', async () => {
    const id = await asked();
    for (const [name, count, fields] of [
      ['waits', 998, {}],
      ['of another', 1_000, { org_id: (await fx.tenant()).orgId }],
      ['denied', 10, { state: 'denied' }],
      ['expired', 10, { expires_at: new Date(clock.now()) }],
    ] as const)
      await addLike(id, count, (at) => ({ ...fields, user_id: `${name} ${at}` }));
    await asked({ budget_id: await makeOwnBudget() });
    const refused = await ask({ budget_id: await makeBudget({ name: 'Third' }) });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  });

  const without = (scopes: readonly Scope[], ...left: Scope[]) =>
    scopes.filter((scope) => !left.includes(scope));
  test.each<[string, Scope[], number | null]>([
    ['a bound key reads its own', ['budgets:check'], 1],
    ['a bound key reads its own', ['usage:read'], 1],
    ['a bound key reads none', without(BOUND_SCOPES, 'usage:read', 'budgets:check'), null],
    ['an unbound key reads all', ['usage:read'], 2],
    ['an unbound key reads none', without(SCOPES, 'usage:read', 'budgets:check'), null],
    ['an unbound key reads none', without(SCOPES, 'usage:read', 'budgets:write'), null],
  ])('is seen by keys as their scopes say: %s with %j', async (which, scopes, sees) => {
    const isBound = which.startsWith('a bound key');
    const mine = { budget_id: budgetId, amount: 1 };
    const { id: foreign } = await fx.ask('/v1/raises', mine, { key: fx.admin });
    const ids = [await asked(), foreign];
    const key = await fx.keyOf(isBound ? ada.userId : null, scopes);
    const statuses = [];
    for (const path of ['', ...ids.map((id) => `/${id}`)])
      statuses.push((await fx.send(`/api/v1/raises${path}`, undefined, { key })).status);
    expect(statuses).toEqual(sees === null ? [403, 403, 403] : [200, 200, sees === 2 ? 200 : 404]);
    if (sees !== null) expect(await totalOf('', key)).toBe(sees);
  });
});

describe('an approved raise', () => {
  test('decides from the answer on, in this process and in others, and never after its end', async () => {
    await spend(10);
    await until(async () => !(await check()).allow && !(await check(other)).allow);
    const id = await asked({ duration_s: 3_600 });
    const ends_at = clock.now() / 1_000 + 3_600;
    const answer = { status: 'approved', granted_amount: 5, answered_by: fx.admin.accountId, ends_at };
    expect((await act(id, 'approve')).body).toMatchObject(answer);
    expect(await check()).toMatchObject({ allow: true, budgets: [{ threshold_now: 15, remaining: 5 }] });
    await until(async () => (await check(other)).allow);
    const raised_until = new Date(clock.now() + HOUR_MS).toISOString();
    const limits = { threshold: 10, threshold_now: 15, raised: 5, raised_until, revision: 1 };
    expect(await view()).toMatchObject({ ...limits, remaining: 5, utilization_pct: 66.67, state: 'ok' });
    // No worker runs, and nothing was read again: the clock alone ends it.
    clock.advance(HOUR_MS);
    expect([(await check()).allow, (await check(other)).allow]).toEqual([false, false]);
    expect(await view()).toMatchObject({ threshold_now: 10, raised_until: null, state: 'exceeded' });
    expect((await fx.ask(`/api/v1/raises/${id}`, undefined, { key: bound })).status).toBe('ended');
    expect([await totalOf('?status=ended'), await totalOf('?status=approved')]).toEqual([1, 0]);
    await runDue();
    await runDue();
    expect(await audited()).toEqual(['raise.ask', 'raise.approve', 'raise.end']);
    expect(await stateOf(id)).toBe('ended');
  });

  test('lets reservations hold up to the raised threshold, and no more', async () => {
    await granted();
    const reserve = () => fx.ask('/api/v1/budgets/reserve', { estimate_usd: 1, ttl_s: 60 });
    const answers = await Promise.all(Array.from({ length: 32 }, reserve));
    expect(answers.filter(({ allow }) => allow)).toHaveLength(15);
  });

  test('of a template raises the limit of the person alone', async () => {
    const id = await makeBudget({ name: 'Each', per: 'user', threshold: 2 });
    const made = await ask({ budget_id: id, amount: 3 });
    expect(made.body).toMatchObject({ budget_name: 'Each', budget_id: id, status: 'pending' });
    const fits = async (user_id: string, estimate_usd = 4, at = api) =>
      (await check(at, { user_id, estimate_usd })).allow;
    await until(async () => !(await fits(ada.userId)));
    expect((await act(made.body.id, 'approve')).status).toBe(200);
    expect([await fits(ada.userId, 5), await fits(ada.userId, 5.01)]).toEqual([true, false]);
    expect([await fits('tom', 2), await fits('tom', 2.01)]).toEqual([true, false]);
    await until(async () => fits(ada.userId, 4, other));
    expect(await fits('tom', 4, other)).toBe(false);
    expect(await view(id)).toMatchObject({ top_user_id: ada.userId, threshold: 2, threshold_now: 5 });
    await fx.ask(`/api/v1/budgets/${id}/people/${ada.userId}`, { threshold: 1 }, { method: 'PUT' });
    const own = { key: await fx.keyOf(ada.userId, ['usage:read']) };
    const read = (path: string) => fx.ask(`/api/v1/budgets/${id}${path}`, undefined, own);
    const now = { threshold_now: 4, raised: 3 };
    const raised_until = expect.stringMatching(/T00:00:00.000Z$/);
    const [person] = (await read('/people')).data;
    expect(person).toMatchObject({ threshold: 1, ...now, raised_until, remaining: 4 });
    const told = await read('');
    expect(told, 'the raise is told apart from the exception').toMatchObject({ threshold: 2, ...now });
    await act(made.body.id, 'revoke');
    expect([await fits(ada.userId), await fits(ada.userId, 1.01)]).toEqual([false, false]);
  });

  test('ends with the window of the budget, whatever was granted', async () => {
    const long = await act(await asked({ duration_s: 2_678_400 }), 'approve');
    const midnight = clock.now() / 1_000 + 18 * 3_600;
    expect(long.body.ends_at).toBe(midnight);
    const open = await act(await asked(), 'approve', second);
    expect(open.body.ends_at).toBe(midnight);
    expect((await check()).budgets[0].threshold_now).toBe(20);
  });

  test('fires levels once per limit in force, with the threshold that held', async () => {
    await subscribeToAll(ctx, fx.orgId);
    await spend(10);
    await evaluate();
    const before = ['budget.warning 10 of 10', 'budget.exceeded 10 of 10'];
    expect(await levels()).toEqual(before);
    await granted({ duration_s: 3_600 });
    await evaluate();
    expect(await levels()).toEqual(before);
    await spend(2);
    await evaluate();
    await evaluate();
    const after = [...before, 'budget.warning 12 of 15'];
    expect(await levels()).toEqual(after);
    clock.advance(HOUR_MS);
    await runDue();
    await evaluate();
    expect(await levels()).toEqual(after);
  });

  test('has its budget keep the metric and the scope until it is revoked', async () => {
    const own = await makeOwnBudget();
    const ids = [await granted(), await granted({ budget_id: own })];
    const patch = (id: string, body: object) => fx.patch(`/api/v1/budgets/${id}`, body);
    for (const [of, change] of [
      [budgetId, { metric: 'tokens' }],
      [budgetId, { per: 'user' }],
      [budgetId, { scope: 'project', scope_id: 'checkout' }],
      [own, { scope_id: 'tom' }],
    ] as const)
      expect(await patch(of, change)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const higher = { threshold: 20, threshold_now: 25 };
    expect((await patch(budgetId, { threshold: 20 })).body).toMatchObject(higher);
    for (const id of ids) await act(id, 'revoke');
    expect((await patch(budgetId, { metric: 'tokens' })).status).toBe(200);
    expect((await patch(own, { scope_id: 'tom' })).status).toBe(200);
  });
});

describe('an answer', () => {
  test('is given by another admin than the one who asked', async () => {
    const mine = { budget_id: budgetId, amount: 1 };
    const { id } = await fx.ask('/v1/raises', mine, { key: fx.admin });
    for (const verb of ['approve', 'deny', 'revoke'])
      expect((await act(id, verb)).body).toMatchObject({ status: 403, code: 'own_request' });
    expect((await act(id, 'approve', second)).status).toBe(200);
  });

  test('is one, however many are given at once in two processes', async () => {
    const id = await asked();
    const give = (_: unknown, index: number) => {
      const [by, at] = index % 2 === 0 ? [fx.admin, api] : [second, other];
      return act(id, index % 3 === 0 ? 'deny' : 'approve', by, {}, at);
    };
    const answers = await Promise.all(Array.from({ length: 12 }, give));
    const state = await stateOf(id);
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status);
      if (status === 409) expect(body.raise_status).toBe(state);
      else expect(body.status).toBe(state);
    }
    expect(await audited()).toHaveLength(2);
    const budget = await budgetRows(ctx).findOne({ _id: budgetId });
    expect(budget?.raises ?? []).toHaveLength(state === 'approved' ? 1 : 0);
  });

  test.each([
    {
      verb: 'approve',
      body: { amount: 2, duration_s: 3_600 },
      others: [{ amount: 3, duration_s: 3_600 }, { amount: 2, duration_s: 1_800 }, { amount: 2 }, {}],
      gives: ['approved', 12, 2],
    },
    { verb: 'deny', body: { note: 'no' }, others: [{ note: 'never' }, {}], gives: ['denied', 10, 2] },
    { verb: 'revoke', body: { note: 'no' }, others: [{ note: 'never' }, {}], gives: ['revoked', 10, 3] },
  ])(
    'to $verb is the same, and counts once, when the same admin gives it again; another one, and anybody else’s, is refused',
    async ({ verb, body, others, gives: [state, threshold, entries] }) => {
      const id = await (verb === 'revoke' ? granted() : asked());
      const before = await counted(String(state));
      const first = await act(id, verb, fx.admin, body);
      clock.advance(1_000);
      const again = await act(id, verb, fx.admin, body);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect((await view()).threshold_now).toBe(threshold);
      for (const refused of [
        await act(id, verb, second, body),
        ...(await Promise.all(others.map((other) => act(id, verb, fx.admin, other)))),
        await act(id, verb === 'deny' ? 'approve' : 'deny'),
        await act(id, 'withdraw', ada),
      ])
        expect([refused.status, refused.body.raise_status]).toEqual([409, state]);
      expect((await audited()).length).toBe(entries);
      expect(await counted(String(state))).toBe(before + 1);
    },
  );

  test('gives at most what was asked for', async () => {
    const id = await asked({ duration_s: 3_600 });
    for (const body of [{ amount: 5.01 }, { duration_s: 3_601 }])
      expect((await act(id, 'approve', fx.admin, body)).status).toBe(400);
    // Without a duration a day was asked for, where the window does not end.
    const total = await asked({ budget_id: await makeBudget({ name: 'Total', window: 'total' }) });
    const longer = await act(total, 'approve', fx.admin, { duration_s: 86_401 });
    expect([longer.status, longer.body.errors]).toMatchObject([400, [{ pointer: '/duration_s' }]]);
    expect((await act(total, 'approve', fx.admin, { duration_s: 86_400 })).status).toBe(200);
    const less = await act(id, 'approve', fx.admin, { amount: 1.5, duration_s: 60 });
    expect(less.body).toMatchObject({ granted_amount: 1.5, ends_at: clock.now() / 1_000 + 60 });
  });

  test('comes too late for one that nobody answered in time', async () => {
    const id = await asked();
    clock.advance(72 * HOUR_MS);
    const late = await act(id, 'approve');
    expect([late.status, late.body.raise_status]).toEqual([409, 'expired']);
    // The person asks again, though no worker has written the end of the first one.
    expect((await ask()).status).toBe(201);
    await runDue();
    expect(await audited()).toEqual(['raise.ask', 'raise.expire', 'raise.ask']);
  });

  test('is overtaken by the demotion of the admin', async () => {
    const id = await asked();
    const demotion = changeMember(ctx, fx.orgId, second.userId, { role: 'member' });
    const [answer] = await Promise.all([act(id, 'approve', second), demotion]);
    expect([200, 403]).toContain(answer.status);
    expect((await act(id, 'deny', second)).status).toBe(403);
  });

  test('that revokes ends the raise at once: it was in force from its approval until then', async () => {
    await spend(12);
    const starts_at = new Date(clock.now());
    const raise_id = await granted();
    clock.advance(MINUTE_MS);
    expect((await check()).allow).toBe(true);
    const { body } = await act(raise_id, 'revoke', second, { note: 'enough' });
    expect(body).toMatchObject({ status: 'revoked', answer_note: 'enough' });
    expect((await check()).allow).toBe(false);
    await until(async () => !(await check(other)).allow);
    const budget = await budgetRows(ctx).findOne({ _id: budgetId });
    const times = { starts_at, ends_at: new Date(clock.now()) };
    expect(budget?.raises).toEqual([{ raise_id, amount: 5 * 1e9, ...times }]);
  });

  test.each([
    [null, 409],
    [{ metric: 'tokens' }, 409],
    [{ scope: 'org' }, 409],
    [{ scope: 'user', scope_id: 'checkout' }, 409],
    [{ scope_id: 'search' }, 409],
    [{ name: 'Shop', threshold: 20, window: 'monthly', enforce: 'soft' }, 200],
  ])('is refused for a budget that is gone or counts something else: %j is %i', async (change, status) => {
    const project = await makeBudget({ name: 'P', scope: 'project', scope_id: 'checkout' });
    const id = await asked({ budget_id: project });
    const path = `/api/v1/budgets/${project}`;
    await fx.ask(path, change ?? undefined, { method: change ? 'PATCH' : 'DELETE' });
    const approved = await act(id, 'approve');
    expect([approved.status, approved.body.code]).toEqual([status, status === 409 ? 'conflict' : undefined]);
    if (status === 409) expect((await act(id, 'deny')).body.status).toBe('denied');
  });

  test('is told to the webhooks that ask for it, with a link that holds no credential', async () => {
    await subscribeToAll(ctx, fx.orgId);
    const id = await asked({ note: 'a migration' });
    await act(id, 'approve', fx.admin, { amount: 2 });
    const events = (await readEvents(ctx, fx.orgId)).filter(({ type }) => type.includes('raise'));
    expect(events.map(({ type }) => type)).toEqual(['budget.raise_requested', 'budget.raise_answered']);
    const of = { raise_id: id, budget_id: budgetId, budget_name: 'All', user_id: ada.userId };
    const link = expect.stringMatching(new RegExp(`/dashboard/raises/${id}$`));
    const state = { amount: 5, metric: 'cost_usd', status: 'pending', ends_at: null };
    expect(events[0]?.data).toEqual({ ...of, ...state, link });
    expect(events[1]?.data).toMatchObject({ status: 'approved', amount: 2, ends_at: expect.any(String) });
  });
});

describe('a person who is removed', () => {
  test('leaves nothing pending and nothing in force, however many there were of one budget', async () => {
    for (const amount of [3, 4]) await granted({ amount });
    await asked({ budget_id: await makeOwnBudget() });
    expect((await view()).threshold_now).toBe(17);
    const before = [await counted('revoked'), await counted('denied')] as const;
    await removeMember(ctx, fx.orgId, ada.userId);
    expect(await states()).toEqual(['denied', 'revoked', 'revoked']);
    expect([await counted('revoked'), await counted('denied')]).toEqual([before[0] + 2, before[1] + 1]);
    expect(await view()).toMatchObject({ threshold_now: 10, raised_until: null });
    await until(async () => (await check(other)).budgets[0].threshold_now === 10);
  });

  test('is not overtaken by an approval', async () => {
    const id = await asked();
    const [, answer] = await Promise.all([removeMember(ctx, fx.orgId, ada.userId), act(id, 'approve')]);
    expect([200, 409]).toContain(answer.status);
    expect(['denied', 'revoked']).toContain(await stateOf(id));
    expect((await view()).threshold_now).toBe(10);
  });
});

test('notes go 90 days after the answer', async () => {
  const id = await asked({ note: 'mine' });
  await act(id, 'deny', fx.admin, { note: 'no' });
  const notes = async () => {
    const { note, answer_note } = (await raiseRows(ctx).findOne({ _id: id })) ?? {};
    return [note, answer_note];
  };
  await raiseRetention.purge(ctx, clock.now() + 90 * 24 * HOUR_MS);
  expect(await notes()).toEqual(['mine', 'no']);
  expect(await raiseRetention.purge(ctx, clock.now() + 90 * 24 * HOUR_MS + 1)).toBeGreaterThan(0);
  expect(await notes()).toEqual([null, null]);
});

describe('governor raise', () => {
  const request = (fields: object, sleep = async () => {}) =>
    requestRaise({ api: api.url, apiKey: bound }, { amount: 5, ...fields }, sleep);

  test('takes the budget that refuses, and asks for more of it once', async () => {
    expect(await request({})).toMatchObject({ exitCode: 2 });
    await spend(10);
    await until(async () => !(await check()).allow);
    const sent = await request({ note: 'by hand' });
    expect(sent).toMatchObject({ exitCode: 0, message: expect.stringMatching(/^Sent: rai_/) });
    const again = await request({});
    expect([again.exitCode, again.message]).toEqual([1, expect.stringContaining('answered 409 conflict')]);
  });

  /** By the status that a request comes to, what makes it so and how a command ends that waits for it. */
  const ends: Record<Exclude<RaiseState, 'pending'>, [happens: (id: string) => unknown, exitCode: number]> = {
    approved: [(id) => act(id, 'approve'), 0],
    denied: [(id) => act(id, 'deny'), 2],
    withdrawn: [(id) => act(id, 'withdraw', ada), 2],
    expired: [() => clock.advance(72 * HOUR_MS), 2],
    ended: [(id) => act(id, 'approve').then(() => clock.advance(HOUR_MS)), 2],
    revoked: [(id) => act(id, 'approve').then(() => act(id, 'revoke')), 2],
  };
  test.each(Object.entries(ends))(
    'that waits ends once the request is %s',
    async (status, [happens, exitCode]) => {
      let looks = 0;
      const outcome = await request({ budgetId, durationS: 3_600, wait: true }, async () => {
        looks += 1;
        if (looks === 3) throw new Error('It goes on to wait.');
        // At the first look nothing has happened yet.
        const { data } = await fx.ask('/v1/raises?status=pending', undefined, { key: fx.admin });
        if (looks === 2) await happens(data[0].id);
      });
      expect(outcome).toMatchObject({ exitCode, raise: { status } });
      expect(outcome.message).toContain(exitCode === 0 ? 'Approved until' : `The raise is ${status}`);
    },
  );

  test('that waits goes on while the api is away, and says what was sent when its key ends', async () => {
    const sent = { id: 'rai_1', status: 'pending', ends_at: null };
    const answers = [201, 503, 503, 503, 401];
    const front = await startReceiver();
    onTestFinished(() => front.close());
    front.behave(() => ({ status: answers.shift() ?? 500, body: JSON.stringify(sent) }));
    const target = { api: front.url, apiKey: bound };
    const outcome = await requestRaise(target, { budgetId, amount: 5, wait: true }, async () => {});
    const why = 'its answer cannot be read: GET /api/v1/raises/rai_1 answered 401';
    expect(outcome).toEqual({ exitCode: 1, message: `governor: rai_1 was sent, and ${why}`, raise: sent });
  });

  test('says why it could not ask', async () => {
    const away = { api: 'http://127.0.0.1:1', apiKey: bound };
    expect(await requestRaise(away, { amount: 5 }, async () => undefined)).toMatchObject({ exitCode: 1 });
    expect(await request({ budgetId: 'bud_x' })).toMatchObject({ exitCode: 1 });
  });
});
