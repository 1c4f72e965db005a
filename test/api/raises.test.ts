import { beforeEach, describe, expect, test } from 'vitest';
import { requestRaise } from '../../packages/governor/src/raise.ts';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { raiseRetention, raiseRows } from '../../shared/wings/raises/model.ts';
import { endRaise, evaluateBudgets } from '../../workers/index.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { makePerson, type Person } from '../support/people.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const { idp, clock, api, other } = await fixture({ clock: true, idp: true, other: true });

let admin: Person;
let second: Person;
let ada: Person;
let unbound: string;
let bound: string;
let budgetId: string;
beforeEach(async () => {
  clock.set(Math.floor(Date.now() / 86_400_000) * 86_400_000 + 6 * HOUR_MS);
  admin = await makePerson(api.ctx, idp, { role: 'admin' });
  second = await makePerson(api.ctx, idp, { orgId: admin.orgId, role: 'admin' });
  ada = await makePerson(api.ctx, idp, { orgId: admin.orgId });
  const scopes = ['signals:write', 'usage:read', 'budgets:write', 'budgets:check'] as const;
  unbound = (await createApiKey(api.ctx, { org_id: admin.orgId, scopes: [...scopes] })).key;
  bound = (
    await createApiKey(api.ctx, { org_id: admin.orgId, scopes: ['budgets:check'], user_id: ada.userId })
  ).key;
  budgetId = await makeBudget({ name: 'All', scope: 'org' });
});

async function makeBudget(fields: object): Promise<string> {
  const body = { metric: 'cost_usd', threshold: 10, window: 'daily', timezone: 'UTC', enforce: 'hard' };
  const made = await api.call('/api/v1/budgets', { key: unbound, body: { ...body, ...fields } });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}

const ask = (fields: object = {}, key = bound) =>
  api.call('/api/v1/raises', { key, body: { budget_id: budgetId, amount: 5, ...fields } });
const asked = async (fields: object = {}): Promise<string> => {
  const made = await ask(fields);
  expect(made.status, made.text).toBe(201);
  return made.body.id;
};
const act = (id: string, verb: string, by: Person = admin, body: object = {}, at = api) =>
  at.call(`/v1/raises/${id}/${verb}`, { key: by.session, body });
const spend = async (cost_usd: number) => {
  const body = makeSignal({ ts: clock.now(), user_id: ada.userId, cost_usd });
  expect((await api.call('/api/v1/signals', { key: unbound, body })).body.results[0].status).toBe('accepted');
};
const check = async (at = api, estimate_usd = 1) =>
  (await at.call('/api/v1/budgets/check', { key: unbound, body: { estimate_usd } })).body;
const view = async (id = budgetId) => (await api.call(`/api/v1/budgets/${id}`, { key: unbound })).body;
/** How many raises have come to a state, as the metrics have it. */
const counted = async (status: string) => {
  const headers = { Authorization: `Bearer ${api.ctx.config.operatorToken}` };
  const text = await (await fetch(`${api.url}/metrics`, { headers })).text();
  return Number(
    new RegExp(`^governor_raises_total\\{status="${status}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
  );
};
const audited = async () => {
  const entries = await auditRows(api.ctx)
    .find({ org_id: admin.orgId, action: { $regex: '^raise\\.' } })
    .toArray();
  return entries.map(({ action }) => action);
};
const runDue = async () => {
  const due = await dueRows(api.ctx).find({ org_id: admin.orgId, kind: endRaise.kind }).toArray();
  for (const { key } of due) await endRaise.handle({ key }, api.ctx);
};

test('the end of a raise alone tells that the limit which is in force then is exceeded', async () => {
  await subscribeToAll(api.ctx, admin.orgId);
  const id = await asked({ amount: 5, duration_s: 3_600 });
  expect((await act(id, 'approve')).status).toBe(200);
  await spend(11);
  await evaluateDue(api.ctx, admin.orgId);
  const told = async () =>
    (await readEvents(api.ctx, admin.orgId))
      .filter(({ type }) => /^budget\.(warning|exceeded)$/.test(type))
      .map(({ type, data }) => [type, data.current, 'of', data.threshold].map(String).join(' '));
  expect(await told()).toEqual([]);
  clock.advance(HOUR_MS);
  await runDue();
  await evaluateDue(api.ctx, admin.orgId);
  expect(await told()).toEqual(['budget.warning 11 of 10', 'budget.exceeded 11 of 10']);
  expect(await dueRows(api.ctx).countDocuments({ org_id: admin.orgId, kind: endRaise.kind })).toBe(0);
});

test('a person whose raise has ended is no longer among those of a template, before anybody records the end', async () => {
  const each = { name: 'Each', scope: 'org', per: 'user', metric: 'cost_usd', threshold: 2 } as const;
  const own = { window: 'daily', timezone: 'UTC', enforce: 'hard' } as const;
  const { _id } = await createBudget(api.ctx, admin.orgId, { ...each, ...own });
  await act(await asked({ budget_id: _id, amount: 3, duration_s: 3_600 }), 'approve');
  const people = async () => (await api.call(`/api/v1/budgets/${_id}/people`, { key: unbound })).body;
  expect(await people()).toMatchObject({ data: [{ user_id: ada.userId, raised: 3 }] });
  clock.advance(HOUR_MS);
  expect(await people()).toMatchObject({ data: [], total: 0 });
});

test('a raise that is revoked was in force from its answer until then', async () => {
  const approvedMs = clock.now();
  const id = await asked();
  await act(id, 'approve');
  clock.advance(MINUTE_MS);
  expect((await act(id, 'revoke')).status).toBe(200);
  const budget = await budgetRows(api.ctx).findOne({ _id: budgetId });
  const [starts_at, ends_at] = [new Date(approvedMs), new Date(approvedMs + MINUTE_MS)];
  expect(budget?.raises).toEqual([{ raise_id: id, amount: 5 * 1e9, starts_at, ends_at }]);
});

describe('asking for more', () => {
  test('is shown to the person without what they do not see, and to admins whole', async () => {
    const made = await ask({ duration_s: 3_600, note: 'a migration' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: expect.stringMatching(/^rai_/),
      budget_id: budgetId,
      budget_name: null,
      user_id: ada.userId,
      amount: 5,
      duration_s: 3_600,
      note: 'a migration',
      status: 'pending',
      created_at: new Date(clock.now()).toISOString(),
      expires_at: new Date(clock.now() + 72 * HOUR_MS).toISOString(),
      ends_at: null,
    });
    const { body } = await api.call(`/v1/raises/${made.body.id}`, { key: admin.session });
    expect(body).toMatchObject({ budget_name: 'All', created_at: clock.now() / 1_000 });
    const own = await makeBudget({ name: 'Ada', scope: 'user', scope_id: ada.userId });
    expect((await ask({ budget_id: own })).body.budget_name).toBe('Ada');
    const listed = (await api.call('/v1/raises?status=pending', { key: admin.session })).body;
    expect(listed.total).toBe(2);
    expect((await api.call('/api/v1/raises', { key: unbound })).body.total).toBe(2);
    const filtered = `/api/v1/raises?budget_id=${own}&user_id=${ada.userId}&status=pending`;
    expect((await api.call(filtered, { key: bound })).body.total).toBe(1);
  });

  test('of a template is for the person who asked: approved, it adds to that threshold and to no other', async () => {
    const id = await makeBudget({ name: 'Each', scope: 'org', per: 'user' });
    const made = await ask({ budget_id: id });
    expect(made.body).toMatchObject({ budget_name: 'Each', budget_id: id });
    expect((await act(made.body.id, 'approve')).status).toBe(200);
    const allows = async (user_id: string, estimate_usd: number) => {
      const { body } = await api.call('/api/v1/budgets/check', {
        key: unbound,
        body: { user_id, estimate_usd },
      });
      return body.budgets.find((budget: { id: string }) => budget.id === id).refuses === false;
    };
    expect(await allows(ada.userId, 15)).toBe(true);
    expect(await allows(ada.userId, 15.01)).toBe(false);
    expect(await allows('bob', 10.01)).toBe(false);
    const { body } = await api.call(`/api/v1/budgets/${id}/people`, { key: unbound });
    expect(body.data).toMatchObject([{ user_id: ada.userId, threshold: 10, threshold_now: 15 }]);
    expect(await view(id)).toMatchObject({ top_user_id: ada.userId, threshold: 10, threshold_now: 15 });
    expect((await act(made.body.id, 'revoke')).status).toBe(200);
    expect(await allows(ada.userId, 10.01)).toBe(false);
  });

  test('is for budgets that count the person; others look like those that do not exist', async () => {
    const foreign = await makePerson(api.ctx, idp, { role: 'admin' });
    const theirs = await api.call('/v1/raises', {
      key: foreign.session,
      body: { budget_id: budgetId, amount: 1 },
    });
    expect([theirs.status, theirs.body.code]).toEqual([404, 'not_found']);
    const grace = await makeBudget({ name: 'Grace', scope: 'user', scope_id: 'grace' });
    await api.call('/v1/organization', { method: 'PATCH', key: admin.session, body: { teams: ['red'] } });
    const refused = [await ask({ budget_id: 'bud_x' }), await ask({ budget_id: grace })];
    for (const { status, body } of refused) expect([status, body.code]).toEqual([404, 'not_found']);
    const project = await makeBudget({ name: 'P', scope: 'project', scope_id: 'checkout' });
    expect((await ask({ budget_id: project })).status).toBe(201);
  });

  test('needs a person, a sane amount and a sane time', async () => {
    const unboundAsks = await ask({}, unbound);
    expect([unboundAsks.status, unboundAsks.body.code]).toEqual([403, 'missing_scope']);
    for (const fields of [
      { amount: 0 },
      { amount: -1 },
      { amount: 1e16 },
      { amount: 1e-12 },
      { duration_s: 59 },
      { duration_s: 2_678_401 },
      { note: 'x'.repeat(501) },
      { unknown: 1 },
    ])
      expect([(await ask(fields)).status, fields]).toEqual([400, fields]);
  });

  test('waits once per person and budget, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array(7).fill(409),
    ]);
    const id = answers.find(({ status }) => status === 201)?.body.id;
    for (const { status, body } of answers) if (status === 409) expect(body.id).toBe(id);
    const before = await counted('withdrawn');
    for (const _ of ['once', 'again']) expect((await act(id, 'withdraw', ada)).body.status).toBe('withdrawn');
    expect(await counted('withdrawn')).toBe(before + 1);
    expect((await ask()).status).toBe(201);
  });

  test('may be done 20 times within 24 hours', async () => {
    for (let time = 0; time < 20; time += 1) await act(await asked(), 'withdraw', ada);
    const refused = await ask();
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests']);
    clock.advance(24 * HOUR_MS);
    expect((await ask({}, await freshKey())).status).toBe(201);
  });

  test('is refused while 1,000 wait in the organization', async () => {
    const id = await asked();
    const row = await raiseRows(api.ctx).findOne({ _id: id });
    const { pending_for: _, ...one } = row ?? ({} as never);
    await raiseRows(api.ctx).insertMany(
      Array.from({ length: 999 }, (_, index) => ({
        ...one,
        _id: `rai_${admin.orgId}_${index}`,
        user_id: `u${index}`,
      })),
    );
    const own = await makeBudget({ name: 'Ada', scope: 'user', scope_id: ada.userId });
    const refused = await ask({ budget_id: own });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  });

  const freshKey = async () =>
    (await createApiKey(api.ctx, { org_id: admin.orgId, scopes: ['budgets:check'], user_id: ada.userId }))
      .key;
});

describe('an approved raise', () => {
  test('decides from the answer on, in this process and in others, and never after its end', async () => {
    await spend(10);
    await until(async () => !(await check()).allow && !(await check(other)).allow);
    const id = await asked({ duration_s: 3_600 });
    const answer = await act(id, 'approve');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'approved',
      granted_amount: 5,
      answered_by: admin.accountId,
      ends_at: clock.now() / 1_000 + 3_600,
    });
    const now = await check();
    expect([now.allow, now.budgets[0].threshold_now, now.budgets[0].remaining]).toEqual([true, 15, 5]);
    await until(async () => (await check(other)).allow);
    expect(await view()).toMatchObject({
      threshold: 10,
      threshold_now: 15,
      remaining: 5,
      utilization_pct: 66.67,
      state: 'ok',
      raised: 5,
      raised_until: new Date(clock.now() + HOUR_MS).toISOString(),
      revision: 1,
    });
    // No worker runs, and nothing was read again: the clock alone ends it.
    clock.advance(HOUR_MS);
    expect([(await check()).allow, (await check(other)).allow]).toEqual([false, false]);
    expect(await view()).toMatchObject({ threshold_now: 10, raised_until: null, state: 'exceeded' });
    const { body } = await api.call(`/api/v1/raises/${id}`, { key: bound });
    expect(body.status).toBe('ended');
    expect((await api.call('/api/v1/raises?status=ended', { key: unbound })).body.total).toBe(1);
    expect((await api.call('/api/v1/raises?status=approved', { key: unbound })).body.total).toBe(0);
    await runDue();
    await runDue();
    expect(await audited()).toEqual(['raise.ask', 'raise.approve', 'raise.end']);
    expect((await raiseRows(api.ctx).findOne({ _id: id }))?.state).toBe('ended');
  });

  test('lets reservations hold up to the raised threshold, and no more', async () => {
    await act(await asked(), 'approve');
    const reserve = async (estimate_usd: number) => {
      const body = { estimate_usd, ttl_s: 60 };
      return (await api.call('/api/v1/budgets/reserve', { key: unbound, body })).body;
    };
    const answers = await Promise.all(Array.from({ length: 32 }, () => reserve(1)));
    expect(answers.filter(({ allow }) => allow)).toHaveLength(15);
  });

  test('of a template raises the limit of the person alone', async () => {
    const each = { name: 'Each', scope: 'org', per: 'user', metric: 'cost_usd', threshold: 2 } as const;
    const own = { window: 'daily', timezone: 'UTC', enforce: 'hard' } as const;
    const { _id } = await createBudget(api.ctx, admin.orgId, { ...each, ...own });
    const made = await ask({ budget_id: _id, amount: 3 });
    expect(made.body, 'the row is the person’s own').toMatchObject({
      budget_name: 'Each',
      status: 'pending',
    });
    const fits = async (user_id: string, at = api) => {
      const body = { user_id, estimate_usd: 4 };
      return (await at.call('/api/v1/budgets/check', { key: unbound, body })).body.allow;
    };
    await until(async () => !(await fits(ada.userId)));
    expect((await act(made.body.id, 'approve')).status).toBe(200);
    expect([await fits(ada.userId), await fits('tom')]).toEqual([true, false]);
    await until(async () => fits(ada.userId, other));
    expect(await fits('tom', other)).toBe(false);
    const exception = { method: 'PUT', key: unbound, body: { threshold: 1 } } as const;
    await api.call(`/api/v1/budgets/${_id}/people/${ada.userId}`, exception);
    const scopes = ['usage:read' as const];
    const { key } = await createApiKey(api.ctx, { org_id: admin.orgId, scopes, user_id: ada.userId });
    const read = (path: string) => api.call(`/api/v1/budgets/${_id}${path}`, { key });
    expect((await read('/people')).body.data).toMatchObject([
      { threshold: 1, threshold_now: 4, raised: 3, raised_until: expect.stringMatching(/T00:00:00.000Z$/) },
    ]);
    expect((await read('')).body, 'the raise is told apart from the exception').toMatchObject({
      threshold: 2,
      threshold_now: 4,
      raised: 3,
    });
    await act(made.body.id, 'revoke');
    expect(await fits(ada.userId)).toBe(false);
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
    await subscribeToAll(api.ctx, admin.orgId);
    const evaluate = () => evaluateBudgets.handle({ key: admin.orgId }, api.ctx);
    const levels = async () => {
      const events = await readEvents(api.ctx, admin.orgId);
      return events
        .filter(({ type }) => type === 'budget.warning' || type === 'budget.exceeded')
        .map(({ type, data }) => [type, data.threshold]);
    };
    await spend(10);
    await evaluate();
    const before = [
      ['budget.warning', 10],
      ['budget.exceeded', 10],
    ];
    expect(await levels()).toEqual(before);
    await act(await asked({ duration_s: 3_600 }), 'approve');
    await evaluate();
    expect(await levels()).toEqual(before);
    await spend(2);
    await evaluate();
    await evaluate();
    expect(await levels()).toEqual([...before, ['budget.warning', 15]]);
    clock.advance(HOUR_MS);
    await runDue();
    await evaluate();
    expect(await levels()).toEqual([...before, ['budget.warning', 15]]);
  });

  test('has its budget keep the metric and the scope until it is revoked', async () => {
    const id = await asked();
    await act(id, 'approve');
    const patch = (body: object) =>
      api.call(`/api/v1/budgets/${budgetId}`, { method: 'PATCH', key: unbound, body });
    const refused = await patch({ metric: 'tokens' });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await patch({ threshold: 20 })).body).toMatchObject({ threshold: 20, threshold_now: 25 });
    await act(id, 'revoke');
    expect((await patch({ metric: 'tokens' })).status).toBe(200);
  });
});

describe('an answer', () => {
  test('is given by an admin, and never to oneself', async () => {
    const own = await api.call('/v1/raises', {
      key: admin.session,
      body: { budget_id: budgetId, amount: 1 },
    });
    for (const verb of ['approve', 'deny', 'revoke']) {
      const refused = await act(own.body.id, verb);
      expect([refused.status, refused.body.code]).toEqual([403, 'own_request']);
    }
    const id = await asked();
    for (const verb of ['approve', 'deny', 'revoke']) {
      const refused = await act(id, verb, ada);
      expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
    }
    const foreign = await makePerson(api.ctx, idp, { role: 'admin' });
    for (const verb of ['approve', 'deny', 'revoke', 'withdraw'])
      expect((await act(id, verb, foreign)).status).toBe(404);
    expect((await act(own.body.id, 'approve', second)).status).toBe(200);
  });

  test('is counted by its state', async () => {
    const before = [await counted('pending'), await counted('denied')];
    const id = await asked();
    for (let given = 0; given < 2; given += 1) await act(id, 'deny');
    expect([await counted('pending'), await counted('denied')]).toEqual(before.map((one) => one + 1));
  });

  test('is one, however many are given at once in two processes', async () => {
    const id = await asked();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const [by, at] = index % 2 === 0 ? [admin, api] : [second, other];
        return act(id, index % 3 === 0 ? 'deny' : 'approve', by, {}, at);
      }),
    );
    const { state } = (await raiseRows(api.ctx).findOne({ _id: id })) ?? {};
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status);
      if (status === 409) expect(body.raise_status).toBe(state);
      else expect(body.status).toBe(state);
    }
    const commits = (await audited()).filter((action) => action !== 'raise.ask');
    expect(commits).toHaveLength(1);
    const budget = await budgetRows(api.ctx).findOne({ _id: budgetId });
    expect(budget?.raises ?? []).toHaveLength(state === 'approved' ? 1 : 0);
  });

  test('is the same when the same admin gives it again, and refused to anybody else', async () => {
    const id = await asked();
    const first = await act(id, 'approve', admin, { amount: 2 });
    clock.advance(1_000);
    const again = await act(id, 'approve', admin, { amount: 2 });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect((await view()).threshold_now).toBe(12);
    for (const refused of [
      await act(id, 'approve', second, { amount: 2 }),
      await act(id, 'approve', admin, { amount: 3 }),
      await act(id, 'deny'),
      await act(id, 'withdraw', ada),
    ])
      expect([refused.status, refused.body.raise_status]).toEqual([409, 'approved']);
    expect((await audited()).length).toBe(2);
  });

  test('gives at most what was asked for', async () => {
    const id = await asked({ duration_s: 3_600 });
    for (const body of [{ amount: 5.01 }, { duration_s: 3_601 }])
      expect((await act(id, 'approve', admin, body)).status).toBe(400);
    // Without a duration a day was asked for, where the window does not end.
    const total = await ask({
      budget_id: await makeBudget({ name: 'Total', scope: 'org', window: 'total' }),
    });
    const longer = await act(total.body.id, 'approve', admin, { duration_s: 86_401 });
    expect([longer.status, longer.body.errors]).toMatchObject([400, [{ pointer: '/duration_s' }]]);
    expect((await act(total.body.id, 'approve', admin, { duration_s: 86_400 })).status).toBe(200);
    const less = await act(id, 'approve', admin, { amount: 1.5, duration_s: 60 });
    expect(less.body).toMatchObject({ granted_amount: 1.5, ends_at: clock.now() / 1_000 + 60 });
  });

  test('comes too late for one that nobody answered in time', async () => {
    const id = await asked();
    clock.advance(72 * HOUR_MS);
    const session = await idp.mint(admin.sub, { nowMs: clock.now() });
    const late = await act(id, 'approve', { ...admin, session });
    expect([late.status, late.body.raise_status]).toEqual([409, 'expired']);
    // The person asks again, though no worker has written the end of the first one.
    expect((await ask()).status).toBe(201);
    await runDue();
    expect(await audited()).toEqual(['raise.ask', 'raise.expire', 'raise.ask']);
  });

  test('is overtaken by the demotion of the admin', async () => {
    const id = await asked();
    const [, answer] = await Promise.all([
      changeMember(api.ctx, admin.orgId, second.userId, { role: 'member' }),
      act(id, 'approve', second),
    ]);
    expect([200, 403]).toContain(answer.status);
    const again = await act(await asked().catch(() => id), 'deny', second);
    expect(again.status).toBe(403);
  });

  test('that revokes ends the raise at once', async () => {
    await spend(12);
    const id = await asked();
    await act(id, 'approve');
    expect((await check()).allow).toBe(true);
    const revoked = await act(id, 'revoke', second, { note: 'enough' });
    expect(revoked.body).toMatchObject({ status: 'revoked', answer_note: 'enough' });
    expect((await check()).allow).toBe(false);
    await until(async () => !(await check(other)).allow);
    expect((await act(id, 'revoke', second, { note: 'enough' })).text).toBe(revoked.text);
    expect((await act(id, 'revoke')).body.raise_status).toBe('revoked');
  });

  test('is refused for a budget that is gone or counts something else', async () => {
    const id = await asked();
    await api.call(`/api/v1/budgets/${budgetId}`, { method: 'DELETE', key: unbound });
    expect((await act(id, 'approve')).body.code).toBe('conflict');
    expect((await act(id, 'deny')).body.status).toBe('denied');
  });

  test('is told to the webhooks that ask for it, with a link that holds no credential', async () => {
    await subscribeToAll(api.ctx, admin.orgId);
    const id = await asked({ note: 'a migration' });
    await act(id, 'approve', admin, { amount: 2 });
    const events = (await readEvents(api.ctx, admin.orgId)).filter(({ type }) => type.includes('raise'));
    expect(events.map(({ type }) => type)).toEqual(['budget.raise_requested', 'budget.raise_answered']);
    expect(events[0]?.data).toEqual({
      raise_id: id,
      budget_id: budgetId,
      budget_name: 'All',
      user_id: ada.userId,
      amount: 5,
      metric: 'cost_usd',
      status: 'pending',
      ends_at: null,
      link: expect.stringMatching(new RegExp(`/dashboard/raises/${id}$`)),
    });
    expect(events[1]?.data).toMatchObject({ status: 'approved', amount: 2, ends_at: expect.any(String) });
  });
});

describe('a person who is removed', () => {
  test('leaves nothing pending and nothing in force, and no notes once erased', async () => {
    const own = await makeBudget({ name: 'Ada', scope: 'user', scope_id: ada.userId });
    const approved = await asked({ note: 'mine' });
    await act(approved, 'approve');
    const pending = await asked({ budget_id: own, note: 'mine' });
    const before = [await counted('revoked'), await counted('denied')];
    await removeMember(api.ctx, admin.orgId, ada.userId);
    const stateOf = async (id: string) => (await raiseRows(api.ctx).findOne({ _id: id }))?.state;
    expect([await stateOf(approved), await stateOf(pending)]).toEqual(['revoked', 'denied']);
    expect([await counted('revoked'), await counted('denied')]).toEqual(before.map((count) => count + 1));
    expect((await view()).threshold_now).toBe(10);
    await until(async () => (await check(other)).budgets[0].threshold_now === 10);
    await eraseMember(api.ctx, admin.orgId, ada.userId);
    const rows = await raiseRows(api.ctx).find({ org_id: admin.orgId }).toArray();
    expect(rows.map(({ note }) => note)).toEqual([null, null]);
    const entries = await auditRows(api.ctx).find({ org_id: admin.orgId }).toArray();
    expect(JSON.stringify(entries)).not.toContain('mine');
  });

  test('leaves none of several raises of one budget in force', async () => {
    for (const amount of [3, 4]) await act(await asked({ amount }), 'approve');
    expect((await view()).threshold_now).toBe(17);
    await removeMember(api.ctx, admin.orgId, ada.userId);
    expect(await view()).toMatchObject({ threshold_now: 10, raised_until: null });
    const rows = await raiseRows(api.ctx).find({ org_id: admin.orgId }).toArray();
    expect(rows.map(({ state }) => state)).toEqual(['revoked', 'revoked']);
  });

  test('is not overtaken by an approval', async () => {
    const id = await asked();
    const [, answer] = await Promise.all([
      removeMember(api.ctx, admin.orgId, ada.userId),
      act(id, 'approve'),
    ]);
    expect([200, 409]).toContain(answer.status);
    expect(['denied', 'revoked']).toContain((await raiseRows(api.ctx).findOne({ _id: id }))?.state);
    expect((await view()).threshold_now).toBe(10);
  });
});

test('notes go 90 days after the answer', async () => {
  const id = await asked({ note: 'mine' });
  await act(id, 'deny', admin, { note: 'no' });
  const notes = async () => {
    const { note, answer_note } = (await raiseRows(api.ctx).findOne({ _id: id })) ?? {};
    return [note, answer_note];
  };
  await raiseRetention.purge(api.ctx, clock.now() + 90 * 24 * HOUR_MS);
  expect(await notes()).toEqual(['mine', 'no']);
  expect(await raiseRetention.purge(api.ctx, clock.now() + 90 * 24 * HOUR_MS + 1)).toBeGreaterThan(0);
  expect(await notes()).toEqual([null, null]);
});

describe('governor raise', () => {
  const request = (fields: object) =>
    requestRaise({ api: api.url, apiKey: bound }, { amount: 5, ...fields }, async () => undefined);

  test('takes the budget that refuses, waits for the answer, and says how it ended', async () => {
    expect(await request({})).toMatchObject({ exitCode: 2 });
    await spend(10);
    await until(async () => !(await check()).allow);
    const sent = await request({ note: 'by hand' });
    expect(sent).toMatchObject({ exitCode: 0, message: expect.stringMatching(/^Sent: rai_/) });
    const again = await request({});
    expect([again.exitCode, again.message]).toEqual([1, expect.stringContaining('answered 409 conflict')]);
    const [, id = ''] = /(rai_\w+)/.exec(sent.message) ?? [];
    await act(id, 'withdraw', ada);
    let looks = 0;
    const wait = (verb: string) =>
      requestRaise({ api: api.url, apiKey: bound }, { amount: 5, budgetId, wait: true }, async () => {
        looks += 1;
        const waiting = await api.call('/v1/raises?status=pending', { key: admin.session });
        await act(waiting.body.data[0].id, verb);
      });
    expect(await wait('deny')).toMatchObject({ exitCode: 2 });
    expect(await wait('approve')).toMatchObject({ exitCode: 0 });
    expect(looks).toBe(2);
  });

  test('says why it could not ask', async () => {
    const away = { api: 'http://127.0.0.1:1', apiKey: bound };
    expect(await requestRaise(away, { amount: 5 }, async () => undefined)).toMatchObject({ exitCode: 1 });
    expect(await request({ budgetId: 'bud_x' })).toMatchObject({ exitCode: 1 });
  });
});
