import { beforeEach, describe, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { overrideKey } from '../../shared/core/limits/budgets/rules/keys.ts';
import { personOverrideRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { addMember } from '../../shared/people/members.ts';
import type { Scope } from '../../shared/platform/basics/contract.ts';
import { reservationKeys } from '../../shared/platform/redis/keys.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const NOON = Date.UTC(2026, 10, 18, 12);
const { clock, api, other } = await fixture({ clock: NOON, other: true });
let orgId: string;
let key: string;
beforeEach(async () => {
  clock.set(NOON);
  ({ orgId, key } = await makeTenant(api.ctx));
});

const EACH = {
  name: 'Each, per day',
  scope: 'org',
  per: 'user',
  metric: 'cost_usd',
  threshold: 5,
  window: 'daily',
  timezone: 'UTC',
  enforce: 'hard',
};

async function template(change: object = {}): Promise<string> {
  const made = await api.call('/api/v1/budgets', { key, body: { ...EACH, ...change } });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}

async function use(user_id: string, cost_usd: number): Promise<void> {
  const body = { signals: [makeSignal({ user_id, cost_usd, ts: clock.now() })] };
  const sent = await api.call('/api/v1/signals', { key, body });
  expect(sent.body.results?.[0]?.status ?? sent.text).toBe('accepted');
}

async function keyOf(user_id: string, scopes: Scope[] = ['budgets:check', 'usage:read']): Promise<string> {
  return (await createApiKey(api.ctx, { org_id: orgId, scopes, user_id })).key;
}

const check = (body: object, as = key, at = api) => at.call('/api/v1/budgets/check', { key: as, body });
const reserve = (body: object, as = key, at = api) =>
  at.call('/api/v1/budgets/reserve', { key: as, body: { ttl_s: 600, ...body } });
const put = (id: string, user: string, body: object, as = key) =>
  api.call(`/api/v1/budgets/${id}/people/${user}`, { method: 'PUT', key: as, body });
const remove = (id: string, user: string, as = key) =>
  api.call(`/api/v1/budgets/${id}/people/${user}`, { method: 'DELETE', key: as });
const people = (id: string, query = '', as = key) =>
  api.call(`/api/v1/budgets/${id}/people${query}`, { key: as });

/** Waits until the first process knows what is used and held. */
async function settled(): Promise<void> {
  await statusCache(api.ctx).renew(orgId);
}

describe('a template', () => {
  test('shows the person who is furthest, how many there are, and the levels that they have reached', async () => {
    const id = await template();
    const read = async () => (await api.call(`/api/v1/budgets/${id}`, { key })).body;
    expect(await read()).toMatchObject({
      per: 'user',
      current: 0,
      top_user_id: null,
      people: { total: 0, warning: 0, exceeded: 0 },
    });
    await use('ada', 4);
    await use('bob', 6);
    await use('cyd', 1);
    const furthest = {
      top_user_id: 'bob',
      current: 6,
      remaining: 0,
      utilization_pct: 120,
      state: 'exceeded',
      threshold: 5,
      threshold_now: 5,
      people: { total: 3, warning: 1, exceeded: 1 },
    };
    expect(await read()).toMatchObject(furthest);
    const { body } = await api.call('/api/v1/budgets', { key });
    expect(body.data).toEqual([expect.objectContaining(furthest)]);
    const windows = await api.call(`/api/v1/budgets/${id}/windows`, { key });
    expect(windows.body.data).toMatchObject([{ start: '2026-11-18T00:00:00.000Z', current: 6 }]);
  });

  test.each([
    [{ scope: 'project', scope_id: 'x' }, '/per'],
    [{ scope: 'user', scope_id: 'ada' }, '/per'],
    [{ per: 'team' }, '/per'],
    [{ window: 'rolling', rolling_days: 7 }, '/per'],
  ])('goes with the scopes org and team, and no rolling window: %j is a 400', async (change, pointer) => {
    const made = await api.call('/api/v1/budgets', { key, body: { ...EACH, ...change } });
    expect([made.status, made.body.code, made.body.errors[0].pointer]).toEqual([
      400,
      'invalid_request',
      pointer,
    ]);
  });

  test('may become a budget of all, and one again', async () => {
    const id = await template();
    await use('ada', 3);
    await use('bob', 1);
    const change = async (body: object) =>
      (await api.call(`/api/v1/budgets/${id}`, { method: 'PATCH', key, body })).body;
    expect(await change({ per: null })).toMatchObject({
      per: null,
      current: 4,
      top_user_id: null,
      people: null,
    });
    expect(await change({ per: 'user' })).toMatchObject({ per: 'user', current: 3, top_user_id: 'ada' });
  });

  test('counts a call of nobody in none, and a person whom nobody has seen like all others', async () => {
    const id = await template();
    expect((await check({ estimate_usd: 5.01 })).body).toMatchObject({ allow: true, budgets: [] });
    expect((await check({ user_id: 'new', estimate_usd: 5.01 })).body).toMatchObject({
      allow: false,
      refused_by: { id, cause: 'spent' },
      budgets: [{ id, scope: 'user', per: 'user', remaining: 5 }],
    });
    expect((await reserve({ user_id: 'new', estimate_usd: 5.01 })).body.reservation_id).toBeNull();
    expect((await reserve({ user_id: 'new', estimate_usd: 5 })).body.allow).toBe(true);
  });

  test('refuses one person and nobody else, as soon as that person has used it', async () => {
    await template();
    await use('ada', 5);
    await settled();
    expect((await check({ user_id: 'ada' })).body.allow).toBe(false);
    expect((await check({ user_id: 'bob' })).body.allow).toBe(true);
    const hook = async (user: string) => {
      const bound = await keyOf(user, ['budgets:check']);
      const body = { hook_event_name: 'PreToolUse' };
      return (await api.call('/hooks/claude-code', { key: bound, body })).text;
    };
    expect(await hook('ada')).toContain('Each, per day');
    expect(await hook('bob')).not.toContain('Each, per day');
  });

  test('of a team counts its present members alone', async () => {
    const member = { org_id: orgId, user_id: 'ada', email: 'a@e.org', role: 'member' as const };
    await addMember(api.ctx, { ...member, teams: ['red'] });
    await template({ scope: 'team', scope_id: 'red', threshold: 1 });
    expect((await check({ user_id: 'ada', estimate_usd: 2 })).body.allow).toBe(false);
    expect((await check({ user_id: 'bob', estimate_usd: 2 })).body.allow).toBe(true);
  });
});

describe('the limit of a person', () => {
  test('is never passed by 64 clients over two apis, whoever is new', async () => {
    await template({ threshold: 1 });
    const users = ['ada', 'bob', 'eve', 'new'];
    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, at) => {
        const user_id = users[at % users.length];
        const { status, body } = await reserve({ user_id, estimate_usd: 0.1 }, key, at % 3 ? api : other);
        expect(status).toBe(200);
        return body.allow ? user_id : null;
      }),
    );
    for (const user of users) expect(answers.filter((answer) => answer === user)).toHaveLength(10);
  });

  test('holds with reservations that are settled by what calls really cost', async () => {
    const id = await template({ threshold: 1 });
    for (const cost_usd of [0.4, 0.4]) {
      const { body } = await reserve({ user_id: 'ada', estimate_usd: 0.5 });
      const settling = { user_id: 'ada', cost_usd, ts: clock.now(), reservation_id: body.reservation_id };
      await api.call('/api/v1/signals', { key, body: { signals: [makeSignal(settling)] } });
      await settled();
    }
    expect((await reserve({ user_id: 'ada', estimate_usd: 0.3 })).body).toMatchObject({ refused_by: { id } });
    expect((await reserve({ user_id: 'ada', estimate_usd: 0.2 })).body.allow).toBe(true);
    await settled();
    expect((await people(id)).body.data).toMatchObject([
      { user_id: 'ada', current: 0.8, reserved: 0.2, remaining: 0.2, state: 'warning', refuses_now: false },
    ]);
  });

  test('is held in Redis under a hash: no key, field or value there names the person', async () => {
    await template();
    await reserve({ user_id: 'ada.lovelace', estimate_usd: 1 }, await keyOf('ada.lovelace'));
    const redis = api.ctx.redis.meter;
    const keys = await redis.keys(`{${orgId}}*`);
    const { held, people: ofPeople, reservations } = reservationKeys(orgId);
    const fields = await Promise.all([held, ofPeople, reservations].map((name) => redis.hgetall(name)));
    expect(Object.keys(fields[0] ?? {})).toHaveLength(2);
    expect(JSON.stringify([keys, fields])).not.toContain('lovelace');
  });
});

describe('the exception of one person', () => {
  test('decides in this process from its answer on, and ends with it', async () => {
    const id = await template();
    await use('ada', 5);
    const set = await put(id, 'ada', { threshold: 20 });
    expect([set.status, set.body]).toEqual([
      200,
      {
        user_id: 'ada',
        threshold: 20,
        threshold_now: 20,
        raised: 0,
        raised_until: null,
        exempt: false,
        current: 5,
        reserved: 0,
        remaining: 15,
        utilization_pct: 25,
        state: 'ok',
        refuses_now: false,
        window_start: '2026-11-18T00:00:00.000Z',
        window_end: '2026-11-19T00:00:00.000Z',
      },
    ]);
    expect((await check({ user_id: 'ada', estimate_usd: 15 })).body.allow).toBe(true);
    expect((await check({ user_id: 'ada', estimate_usd: 15.01 })).body.allow).toBe(false);
    expect((await put(id, 'ada', { threshold: 20 })).status).toBe(200);
    expect((await remove(id, 'ada')).status).toBe(204);
    expect((await remove(id, 'ada')).status).toBe(204);
    expect((await check({ user_id: 'ada' })).body.allow).toBe(false);
    const acts = await auditRows(api.ctx)
      .find({ org_id: orgId, action: /_person$/ })
      .toArray();
    expect(acts.map(({ action, details }) => [action, details])).toEqual([
      ['budget.set_person', { budget_id: id, user_id: 'ada', threshold: 20 }],
      ['budget.remove_person', { budget_id: id, user_id: 'ada' }],
    ]);
  });

  test('may be that the budget does not count for that person, whose row says so', async () => {
    const id = await template();
    await use('ada', 9);
    expect((await put(id, 'ada', { exempt: true })).body).toMatchObject({
      user_id: 'ada',
      threshold: null,
      exempt: true,
      current: 9,
      state: 'ok',
      refuses_now: false,
    });
    expect((await check({ user_id: 'ada', estimate_usd: 100 })).body).toMatchObject({
      allow: true,
      budgets: [],
    });
    expect((await reserve({ user_id: 'ada', estimate_usd: 100 })).body.allow).toBe(true);
    const bound = await keyOf('ada');
    expect((await people(id, '', bound)).body.data).toMatchObject([{ user_id: 'ada', exempt: true }]);
    expect((await api.call(`/api/v1/budgets/${id}`, { key: bound })).status).toBe(404);
    expect((await api.call('/api/v1/budgets', { key: bound })).body.data).toEqual([]);
  });

  test('is refused for another budget, another organization, a bound key, and bad input', async () => {
    const id = await template();
    const plain = (await api.call('/api/v1/budgets', { key, body: { ...EACH, per: null } })).body.id;
    expect([(await put(plain, 'ada', { exempt: true })).status, (await remove(plain, 'ada')).status]).toEqual(
      [409, 409],
    );
    expect((await people(plain)).body.code).toBe('conflict');
    const foreign = (await makeTenant(api.ctx)).key;
    const calls = [
      put(id, 'ada', { exempt: true }, foreign),
      remove(id, 'ada', foreign),
      people(id, '', foreign),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([404, 404, 404]);
    const weak = (await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'] })).key;
    expect((await put(id, 'ada', { exempt: true }, weak)).body.code).toBe('missing_scope');
    for (const body of [
      {},
      { exempt: false },
      { threshold: 0 },
      { threshold: 1, exempt: true },
      { limit: 1 },
    ])
      expect([body, (await put(id, 'ada', body)).status]).toEqual([body, 400]);
    expect((await put(id, 'a'.repeat(257), { exempt: true })).status).toBe(400);
  });

  test('keeps the metric of its budget', async () => {
    const id = await template();
    await put(id, 'ada', { threshold: 1 });
    const change = (body: object) => api.call(`/api/v1/budgets/${id}`, { method: 'PATCH', key, body });
    expect([(await change({ metric: 'tokens' })).status, (await change({ per: null })).status]).toEqual([
      409, 409,
    ]);
    expect((await change({ threshold: 9 })).status).toBe(200);
    await remove(id, 'ada');
    expect((await change({ metric: 'tokens' })).status).toBe(200);
  });

  test('is one of 5,000 at most; one that is there may still be changed', async () => {
    const id = await template();
    const rows = Array.from({ length: 5_000 }, (_, at) => `u${at}`).map((user_id) => ({
      _id: overrideKey(id, user_id),
      org_id: orgId,
      budget_id: id,
      user_id,
      limit: 1,
    }));
    await personOverrideRows(api.ctx).insertMany(rows);
    const refused = await put(id, 'ada', { threshold: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await put(id, 'u7', { threshold: 2 })).status).toBe(200);
  });

  test('goes with its budget', async () => {
    const id = await template();
    await put(id, 'ada', { threshold: 1 });
    await api.call(`/api/v1/budgets/${id}`, { method: 'DELETE', key });
    expect(await personOverrideRows(api.ctx).countDocuments({ budget_id: id })).toBe(0);
  });
});

describe('the people of a template', () => {
  test('come by falling use, page by page, and by user and state', async () => {
    const id = await template();
    await use('bob', 4.5);
    await use('ada', 4.5);
    await use('cyd', 7);
    await put(id, 'eve', { threshold: 1 });
    await put(id, 'max', { exempt: true });
    const ids = (answer: { body: { data: { user_id: string }[] } }) =>
      answer.body.data.map(({ user_id }) => user_id);
    const all = await people(id);
    expect([ids(all), all.body.total]).toEqual([['cyd', 'ada', 'bob', 'eve', 'max'], 5]);
    const walked: string[] = [];
    let cursor = '';
    for (let more = true; more; ) {
      const page = await people(id, `?limit=2${cursor}`);
      walked.push(...ids(page));
      more = page.body.has_more;
      cursor = `&cursor=${page.body.cursor}`;
    }
    expect(walked).toEqual(ids(all));
    expect(ids(await people(id, '?state=warning'))).toEqual(['ada', 'bob']);
    expect(ids(await people(id, '?state=exceeded'))).toEqual(['cyd']);
    expect(ids(await people(id, '?user_id=eve'))).toEqual(['eve']);
    expect((await people(id, '?user_id=eve&order=asc')).status).toBe(400);
    expect((await people(id, '?state=warning&cursor=x')).body.code).toBe('invalid_cursor');
  });

  test('have a member who has only reserved something', async () => {
    const member = { org_id: orgId, user_id: 'ada', email: 'a@e.org', role: 'member' as const };
    await addMember(api.ctx, { ...member, teams: [] });
    const id = await template();
    await reserve({ user_id: 'ada', estimate_usd: 2 });
    await settled();
    expect((await people(id)).body.data).toMatchObject([{ user_id: 'ada', current: 0, reserved: 2 }]);
  });

  test('are hidden from a key that is bound to one of them, which sees its own amounts', async () => {
    const id = await template();
    await use('ada', 4);
    await use('bob', 6);
    const bound = await keyOf('ada');
    const own = { current: 4, state: 'warning', top_user_id: 'ada', people: null };
    expect((await api.call(`/api/v1/budgets/${id}`, { key: bound })).body).toMatchObject(own);
    expect((await api.call('/api/v1/budgets', { key: bound })).body.data).toMatchObject([own]);
    expect((await people(id, '', bound)).body.data).toMatchObject([{ user_id: 'ada', current: 4 }]);
    expect((await people(id, '?user_id=bob', bound)).body.data).toEqual([]);
    const usage = await api.call(`/api/v1/budgets/${id}/usage`, { key: bound });
    expect(usage.body.users).toEqual([{ user_id: 'ada', used: 4 }]);
    for (const path of ['windows', 'events', 'usage'])
      expect((await api.call(`/api/v1/budgets/${id}/${path}`, { key: bound })).text).not.toContain('bob');
    await settled();
    const answer = await check({}, await keyOf('ada', ['budgets:check']));
    expect(answer.body.budgets).toMatchObject([{ id, name: EACH.name, scope: 'user', remaining: 1 }]);
  });

  test('are hidden from a key that may not read usage, also where it changes an exception', async () => {
    const id = await template();
    await use('ada', 4);
    const writer = (await createApiKey(api.ctx, { org_id: orgId, scopes: ['budgets:write'] })).key;
    const set = await put(id, 'ada', { threshold: 8 }, writer);
    expect(set.body).toEqual({
      user_id: 'ada',
      threshold: 8,
      threshold_now: 8,
      raised: 0,
      raised_until: null,
      exempt: false,
      window_start: '2026-11-18T00:00:00.000Z',
      window_end: '2026-11-19T00:00:00.000Z',
    });
    const made = await api.call('/api/v1/budgets', { key: writer, body: EACH });
    expect(Object.keys(made.body)).not.toEqual(expect.arrayContaining(['top_user_id']));
    expect((await people(id, '', writer)).status).toBe(403);
  });
});
