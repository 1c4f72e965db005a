import { describe, expect, test } from 'vitest';
import { overrideKey } from '../../shared/core/limits/budgets/rules/keys.ts';
import { personOverrideRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { reservationKeys } from '../../shared/platform/redis/keys.ts';
import { BUDGET, fixture } from '../support/fixture.ts';

const f = await fixture({ clock: Date.UTC(2026, 10, 18, 12), other: true, perTest: true });
const { api, other } = f;

const EACH = { ...BUDGET, name: 'Each, per day', per: 'user', threshold: 5, enforce: 'hard' };

const template = async (change: object = {}): Promise<string> =>
  (await f.ask('/api/v1/budgets', { ...EACH, ...change })).id;
/** Spends these amounts, each of its user. */
const use = (costs: Record<string, number>) =>
  f.spend(...Object.entries(costs).map(([user_id, cost_usd]) => ({ user_id, cost_usd })));
const keyOf = (user: string) => f.keyOf(user, ['budgets:check', 'usage:read']);

const check = (body: object, key = f.key) => f.send('/api/v1/budgets/check', body, { key });
const reserve = (body: object, key = f.key, at = api) =>
  f.send('/api/v1/budgets/reserve', { ttl_s: 600, ...body }, { key, at });
const read = (id: string, key = f.key) => f.ask(`/api/v1/budgets/${id}`, undefined, { key });
const list = async (key = f.key) => (await f.ask('/api/v1/budgets', undefined, { key })).data;
const change = (id: string, body: object) => f.patch(`/api/v1/budgets/${id}`, body);
const personPath = (id: string, user: string) => `/api/v1/budgets/${id}/people/${user}`;
const put = (id: string, user: string, body: object, key = f.key) =>
  f.send(personPath(id, user), body, { method: 'PUT', key });
const remove = (id: string, user: string) => f.remove(personPath(id, user));
const people = (id: string, query = '', key = f.key) =>
  f.send(`/api/v1/budgets/${id}/people${query}`, undefined, { key });

/** Waits until the first process knows what is used and held. */
async function settled(): Promise<void> {
  await statusCache(api.ctx).renew(f.orgId);
}

describe('a template', () => {
  test('shows the person who is furthest, how many there are, and the levels that they have reached', async () => {
    const id = await template();
    const nobody = { total: 0, warning: 0, exceeded: 0 };
    expect(await read(id)).toMatchObject({ per: 'user', current: 0, top_user_id: null, people: nobody });
    await use({ ada: 4, bob: 6, cyd: 1 });
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
    expect(await read(id)).toMatchObject(furthest);
    expect(await list()).toEqual([expect.objectContaining(furthest)]);
    const windows = await f.ask(`/api/v1/budgets/${id}/windows`);
    expect(windows.data).toMatchObject([{ start: '2026-11-18T00:00:00.000Z', current: 6 }]);
  });

  test('may become a budget of all, and one again', async () => {
    const id = await template();
    await use({ ada: 3, bob: 1 });
    const ofAll = { per: null, current: 4, top_user_id: null, people: null };
    expect((await change(id, { per: null })).body).toMatchObject(ofAll);
    const ofEach = { per: 'user', current: 3, top_user_id: 'ada' };
    expect((await change(id, { per: 'user' })).body).toMatchObject(ofEach);
  });

  test('counts a call of nobody in none, and a person whom nobody has seen like all others', async () => {
    const id = await template();
    expect((await check({ estimate_usd: 5.01 })).body).toMatchObject({ allow: true, budgets: [] });
    const refused = { allow: false, refused_by: { id, cause: 'spent' } };
    const budgets = [{ id, scope: 'user', per: 'user', remaining: 5 }];
    expect((await check({ user_id: 'new', estimate_usd: 5.01 })).body).toMatchObject({ ...refused, budgets });
    expect((await reserve({ user_id: 'new', estimate_usd: 5.01 })).body.reservation_id).toBeNull();
    expect((await reserve({ user_id: 'new', estimate_usd: 5 })).body.allow).toBe(true);
  });

  test('refuses one person and nobody else, as soon as that person has used it', async () => {
    await template();
    await use({ ada: 5 });
    await settled();
    const ask = async (user_id: string) => {
      const hook = { hook_event_name: 'PreToolUse' };
      const { body } = await f.send('/hooks/claude-code', hook, { key: await keyOf(user_id) });
      const words = body.hookSpecificOutput?.permissionDecisionReason;
      return [(await check({ user_id })).body.allow, words?.includes('Each, per day')];
    };
    expect([await ask('ada'), await ask('bob')]).toEqual([
      [false, true],
      [true, undefined],
    ]);
  });
});

describe('the limit of a person', () => {
  test('is never passed by 64 clients over two apis, whoever is new', async () => {
    await template({ threshold: 1 });
    const users = ['ada', 'bob', 'eve', 'new'];
    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, at) => {
        const user_id = users[at % users.length];
        const { status, body } = await reserve({ user_id, estimate_usd: 0.1 }, f.key, at % 3 ? api : other);
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
      await f.spend({ cost_usd, reservation_id: body.reservation_id });
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
    const keys = await redis.keys(`{${f.orgId}}*`);
    const { held, people: ofPeople, reservations } = reservationKeys(f.orgId);
    const fields = await Promise.all([held, ofPeople, reservations].map((name) => redis.hgetall(name)));
    expect(Object.keys(fields[0] ?? {})).toHaveLength(2);
    expect(JSON.stringify([keys, fields])).not.toContain('lovelace');
  });
});

describe('the exception of one person', () => {
  test('decides in this process from its answer on, and ends with it', async () => {
    const id = await template();
    await use({ ada: 5 });
    const set = await put(id, 'ada', { threshold: 20 });
    expect(set.body).toEqual({
      user_id: 'ada',
      exempt: false,
      threshold: 20,
      threshold_now: 20,
      raised: 0,
      raised_until: null,
      current: 5,
      reserved: 0,
      remaining: 15,
      utilization_pct: 25,
      state: 'ok',
      refuses_now: false,
      window_start: '2026-11-18T00:00:00.000Z',
      window_end: '2026-11-19T00:00:00.000Z',
    });
    expect((await check({ user_id: 'ada', estimate_usd: 15 })).body.allow).toBe(true);
    expect((await check({ user_id: 'ada', estimate_usd: 15.01 })).body.allow).toBe(false);
    expect((await put(id, 'ada', { threshold: 20 })).status).toBe(200);
    expect((await remove(id, 'ada')).status).toBe(204);
    expect((await remove(id, 'ada')).status).toBe(204);
    expect((await check({ user_id: 'ada' })).body.allow).toBe(false);
    const acts = await f.audited(/_person$/);
    expect(acts.map(({ action, details }) => [action, details])).toEqual([
      ['budget.set_person', { budget_id: id, user_id: 'ada', metric: 'cost_usd', threshold: 20 }],
      ['budget.remove_person', { budget_id: id, user_id: 'ada' }],
    ]);
  });

  test('may be that the budget does not count for that person, whose row says so', async () => {
    const id = await template();
    await use({ ada: 9 });
    const shown = { threshold: null, exempt: true, current: 9, state: 'ok', refuses_now: false };
    expect((await put(id, 'ada', { exempt: true })).body).toMatchObject({ user_id: 'ada', ...shown });
    const free = await check({ user_id: 'ada', estimate_usd: 100 });
    expect(free.body).toMatchObject({ allow: true, budgets: [] });
    expect((await reserve({ user_id: 'ada', estimate_usd: 100 })).body.allow).toBe(true);
    const bound = await keyOf('ada');
    expect((await people(id, '', bound)).body.data).toMatchObject([{ user_id: 'ada', exempt: true }]);
    expect((await f.send(`/api/v1/budgets/${id}`, undefined, { key: bound })).status).toBe(404);
    expect(await list(bound)).toEqual([]);
  });

  test.each([
    [{}],
    [{ exempt: false }],
    [{ threshold: 0 }],
    [{ threshold: 1, exempt: true }],
    [{ limit: 1 }],
    [{ exempt: true }, 'a'.repeat(257)],
  ])('is not %j', async (body, user = 'ada') => {
    expect((await put(await template(), user, body)).status).toBe(400);
  });

  test('keeps the metric of its budget, and goes with it', async () => {
    const id = await template();
    await put(id, 'ada', { threshold: 1 });
    for (const refused of [{ metric: 'tokens' }, { per: null }])
      expect((await change(id, refused)).status).toBe(409);
    await remove(id, 'ada');
    expect((await change(id, { metric: 'tokens' })).status).toBe(200);
    await put(id, 'ada', { threshold: 1 });
    await f.remove(`/api/v1/budgets/${id}`);
    expect(await personOverrideRows(api.ctx).countDocuments({ budget_id: id })).toBe(0);
  });

  test('is one of 5,000 at most; one that is there may still be changed', async () => {
    const id = await template();
    const row = { org_id: f.orgId, budget_id: id, limit: 1 };
    const ids = Array.from({ length: 5_000 }, (_, at) => `u${at}`);
    const rows = ids.map((user_id) => ({ ...row, _id: overrideKey(id, user_id), user_id }));
    await personOverrideRows(api.ctx).insertMany(rows);
    const refused = await put(id, 'ada', { threshold: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await put(id, 'u7', { threshold: 2 })).status).toBe(200);
  });
});

describe('the people of a template', () => {
  test('come by falling use, then by id, those who are exempt last', async () => {
    const id = await template();
    await use({ bob: 4.5, ada: 4.5, cyd: 7 });
    await put(id, 'eve', { threshold: 1 });
    await put(id, 'max', { exempt: true });
    const { data, total } = (await people(id)).body;
    const ids = data.map(({ user_id }: { user_id: string }) => user_id);
    expect([ids, total]).toEqual([['cyd', 'ada', 'bob', 'eve', 'max'], 5]);
  });

  test('have a member who has only reserved something, and each member once', async () => {
    for (const name of ['ada', 'bob']) await f.member(name);
    const id = await template();
    await use({ bob: 1 });
    for (const user_id of ['ada', 'bob']) await reserve({ user_id, estimate_usd: 2 });
    await settled();
    expect((await people(id)).body.data).toMatchObject([
      { user_id: 'bob', current: 1, reserved: 2 },
      { user_id: 'ada', current: 0, reserved: 2 },
    ]);
  });

  test('are hidden from a key that is bound to one of them, which sees its own amounts', async () => {
    const id = await template();
    await use({ ada: 4, bob: 6 });
    const bound = await keyOf('ada');
    const own = { current: 4, state: 'warning', top_user_id: 'ada', people: null };
    expect(await read(id, bound)).toMatchObject(own);
    expect(await list(bound)).toMatchObject([own]);
    expect((await people(id, '', bound)).body.data).toMatchObject([{ user_id: 'ada', current: 4 }]);
    expect((await people(id, '?user_id=bob', bound)).body.data).toEqual([]);
    const part = (path: string) => f.send(`/api/v1/budgets/${id}/${path}`, undefined, { key: bound });
    expect((await part('usage')).body.users).toEqual([{ user_id: 'ada', used: 4 }]);
    for (const path of ['windows', 'events', 'usage']) expect((await part(path)).text).not.toContain('bob');
    await settled();
    const answer = await check({}, await f.keyOf('ada', ['budgets:check']));
    expect(answer.body.budgets).toMatchObject([{ id, name: EACH.name, scope: 'user', remaining: 1 }]);
  });
});
