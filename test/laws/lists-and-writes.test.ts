import { beforeAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../../api/basics/route.ts';
import { idempotencyRecordRows } from '../../shared/core/accounts/idempotency/model.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { COLLECTIONS } from '../../shared/tables/collections.ts';
import { makeSignal } from '../support/factories.ts';
import { REQUESTS } from '../support/operations.ts';
import { makePerson } from '../support/people.ts';
import {
  holderOf,
  lists,
  NO_FILTER,
  NO_OBJECT,
  nameOf,
  pathOf,
  queryOf,
  type Row,
  reads,
  routes,
  SEES_LESS,
  valuesOf,
} from '../support/read-routes.ts';
import { type As, makeWhole, SHOP, type WholeTenant, wholeFixture } from '../support/whole-tenant.ts';

const host = await wholeFixture();
let own: WholeTenant;
let other: WholeTenant;

beforeAll(async () => {
  own = await makeWhole(host);
  other = await makeWhole(host);
});

describe('an answer', () => {
  const naming = reads.filter(({ path }) => path.includes('{') && !NO_OBJECT.has(path));
  test.each(naming.map((route) => [nameOf(route), route] as const))(
    'of %s to the id of another organization is that there is no such object',
    async (_, route) => {
      const found = await own.call(holderOf(route), 'GET', pathOf(route.path, own));
      expect(found.status, found.text).toBe(200);
      const answer = await own.call(holderOf(route), 'GET', pathOf(route.path, other));
      expect(answer.body).toMatchObject({ status: 404, code: 'not_found' });
    },
  );

  test('names nothing of another organization', async () => {
    const ids = (text: string) => text.match(/\b[a-z]{3,4}_[A-Za-z0-9]{22}\b/g) ?? [];
    const texts = async (of: WholeTenant) => {
      const found: string[] = [];
      const shown = reads.filter(({ path, auth }) => !NO_OBJECT.has(path) && auth.kind !== 'operator');
      for (const route of shown) {
        const query = route.path.endsWith('/search') ? '?q=ada' : '';
        found.push((await of.call(holderOf(route), 'GET', pathOf(route.path, of) + query)).text);
      }
      return found.join('\n');
    };
    const shown = new Set(ids(await texts(own)));
    expect(shown.size).toBeGreaterThan(50);
    expect(ids(await texts(other)).filter((id) => shown.has(id))).toEqual([]);
  });
});

describe('a member who is no admin', () => {
  const ofAdmins = routes.filter(({ auth }) => auth.kind === 'idp' && auth.role === 'admin');
  test.each(ofAdmins.map((route) => [nameOf(route), route] as const))(
    'is refused %s',
    async (name, route) => {
      const answer = await (REQUESTS[name]?.request?.send(own, host, { as: 'ada' }) ??
        own.call('ada', route.method.toUpperCase(), pathOf(route.path, own)));
      expect(answer.body).toMatchObject({ status: 403, code: 'missing_scope' });
    },
  );
});

const rowsOf = (body: Record<string, unknown>) => (body.data ?? body.transactions) as Row[];
/** When a row began, where it says so: lists go by it, the newest first. */
const timeOf = ({ created_at, at, started_at, opened_at }: Row) => {
  const time = created_at ?? at ?? started_at ?? opened_at;
  return typeof time === 'number' ? time : Date.parse(String(time));
};
const idOf = (row: Row) => JSON.stringify(row.id ?? row.user_id ?? row);

async function page(route: AnyRoute, query: Record<string, string>, as = holderOf(route)) {
  const details = queryOf(route).some(({ name }) => name === 'include') ? { include: 'details' } : {};
  const path = `${pathOf(route.path, own)}?${String(new URLSearchParams({ ...details, ...query }))}`;
  const { status, body, text } = await own.call(as, 'GET', path);
  expect(status, `${path}: ${text}`).toBe(200);
  const { cursor, has_more: hasMore, total } = body as { cursor: string; has_more: boolean; total?: number };
  return { rows: rowsOf(body), cursor, hasMore, total };
}

interface Walk {
  between?: () => Promise<void>;
  as?: As;
}

/** All rows of a list, page by page. `between` comes after the first one. */
async function walk(route: AnyRoute, query: Record<string, string>, { between, as }: Walk = {}) {
  const found: Row[] = [];
  let next: Record<string, string> = {};
  for (;;) {
    const { rows, cursor, hasMore } = await page(route, { ...query, ...next }, as);
    found.push(...rows);
    if (!hasMore) return found;
    expect(rows).toHaveLength(Number(query.limit));
    if (found.length === rows.length) await between?.();
    next = { cursor };
  }
}

/** Paths of the same list of other objects of the organization; none for a list that is of no object. */
async function pathsOfOthers(route: AnyRoute): Promise<string[]> {
  const [all = '', end] = route.path.split(/\/\{\w+\}/);
  if (end === undefined) return [];
  const known = pathOf(route.path, own);
  const { data } = await own.must(holderOf(route), 'GET', all);
  const paths = data.map(({ id }: { id: string }) => `${all}/${id}${end}`);
  const others = paths.filter((path: string) => path !== known).slice(0, 3);
  expect(others.length).toBeGreaterThan(0);
  return others;
}

let added = 0;

/** Adds a row to as many lists as there are. */
async function addEverywhere({ path }: AnyRoute): Promise<void> {
  added += 1;
  host.clock.advance(1_000);
  const { must } = own;
  const ts = host.clock.now();
  const signals = [
    makeSignal({ ts, user_id: `new-${added}`, cost_usd: 2 }),
    makeSignal({ ts, user_id: `new-${added}`, tokens_in: 900_000_000 }),
  ];
  await must('key', 'POST', '/api/v1/signals', { signals });
  const fields = { scope: 'org', metric: 'cost_usd', threshold: 9_000, window: 'monthly', enforce: 'hard' };
  const budget = await must('key', 'POST', '/api/v1/budgets', { name: `New ${added}`, ...fields });
  // A person may ask twenty times a day.
  if (path.endsWith('/raises')) await must('ada', 'POST', '/v1/raises', { budget_id: budget.id, amount: 1 });
  await must('ada', 'POST', '/v1/keys', { name: `new ${added}`, scopes: ['usage:read'] });
  await must('key', 'POST', '/api/v1/pull-requests', {
    repository: SHOP,
    number: 100 + added,
    branch: `b-${added}`,
    state: 'open',
    opened_at: new Date(ts).toISOString(),
  });
  const grant = { org_id: own.orgId, user_id: 'ada', bucket: 'granted', amount: 1 };
  await must('operator', 'POST', '/admin/credits', grant, { 'Idempotency-Key': `new ${added}` });
}

describe.each(lists.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  const orders = queryOf(route).some(({ name }) => name === 'order') ? ['desc', 'asc'] : [undefined];

  test.each(orders)(
    'is the same in pages (%s), while rows are added, as at once, and goes by time',
    async (order) => {
      const inOrder: Record<string, string> = order === undefined ? {} : { order };
      const whole = await walk(route, { ...inOrder, limit: '100' });
      expect(whole.length).toBeGreaterThan(0);
      const paged = (
        await walk(route, { ...inOrder, limit: '2' }, { between: () => addEverywhere(route) })
      ).map(idOf);
      expect(new Set(paged).size).toBe(paged.length);
      const known = new Set(whole.map(idOf));
      expect(paged.filter((id) => known.has(id))).toEqual(whole.map(idOf));
      const times = (await walk(route, { ...inOrder, limit: '100' })).map(timeOf);
      const sign = order === 'asc' ? 1 : -1;
      if (times.every(Number.isFinite)) expect(times).toEqual(times.toSorted((a, b) => sign * (a - b)));
    },
  );

  test('has in either order the same rows', async () => {
    const [first = [], second = first.toReversed()] = await Promise.all(
      orders.map(async (order) =>
        (await walk(route, { ...(order ? { order } : {}), limit: '100' })).map(idOf),
      ),
    );
    expect(second).toEqual(first.toReversed());
  });

  test('has cursors that are refused for another question or object, by another reader, and when they are forged', async () => {
    const { cursor } = await page(route, { limit: '1' });
    const send = (of: WholeTenant, query: Record<string, string>, as: As = holderOf(route)) =>
      of.call(as, 'GET', `${pathOf(route.path, of)}?${String(new URLSearchParams(query))}`);
    const ask = async (...asked: Parameters<typeof send>) => (await send(...asked)).status;
    for (const limit of ['1', '2']) expect(await ask(own, { limit, cursor })).toBe(200);
    expect(await ask(other, { limit: '1', cursor })).toBe(400);
    expect(await ask(own, { limit: '1', cursor: `${cursor}x` })).toBe(400);
    for (const path of await pathsOfOthers(route)) {
      const query = new URLSearchParams({ limit: '1', cursor }).toString();
      expect((await own.call(holderOf(route), 'GET', `${path}?${query}`)).status, path).toBe(400);
    }
    expect(await ask(own, { unknown: '1' })).toBe(400);
    for (const limit of ['0', 'x', '1001']) expect(await ask(own, { limit })).toBe(400);
    if (orders.length > 1) expect(await ask(own, { limit: '1', order: 'asc', cursor })).toBe(400);
    for (const parameter of queryOf(route)) {
      if (NOT_BOUND.has(parameter.name)) continue;
      const asked = { [parameter.name]: otherValueOf(parameter) };
      expect(await ask(own, asked), `${JSON.stringify(asked)} is a question`).toBe(200);
      const { body } = await send(own, { limit: '1', ...asked, cursor });
      expect(body.code, JSON.stringify(asked)).toBe('invalid_cursor');
    }
    // One who sees less, where this reader may ask at all.
    const less = SEES_LESS[holderOf(route)];
    if (less && (await ask(own, {}, less)) === 200)
      expect(await ask(own, { limit: '1', cursor }, less)).toBe(400);
  });

  test('counts in `total` what it shows, also by each filter, and to one who sees less', async () => {
    const whole = await walk(route, { limit: '100' });
    const fields = queryOf(route).filter(({ name }) => !NO_FILTER.has(name));
    const asked = fields.flatMap(({ name, schema }) =>
      (schema.enum ?? valuesOf(whole, name)).map((value) => ({ [name]: value })),
    );
    const holder = holderOf(route);
    const less = SEES_LESS[holder];
    for (const as of less ? [holder, less] : [holder])
      for (const query of [{}, ...asked]) {
        const path = `${pathOf(route.path, own)}?${String(new URLSearchParams(query))}`;
        // One who sees less may not ask everything.
        if (as === less && (await own.call(as, 'GET', path)).status !== 200) continue;
        const { total } = await page(route, { ...query, limit: '1' }, as);
        const rows = await walk(route, { ...query, limit: '100' }, { as });
        // Not every list counts.
        if (total !== undefined) expect(total, `${path} as ${as}`).toBe(rows.length);
      }
  });

  test('filters by each field, and by two at once as by one after the other', async () => {
    const whole = await walk(route, { limit: '100' });
    const fields = queryOf(route).filter(({ name }) => !NO_FILTER.has(name));
    const asked = fields.flatMap(({ name, schema }) =>
      (schema.enum ?? valuesOf(whole, name)).map((value) => ({ name, value })),
    );
    const found = new Map<string, string[]>();
    for (const { name, value } of asked) {
      const ids = (await walk(route, { [name]: value, limit: '100' })).map(idOf);
      found.set(`${name}=${value}`, ids);
      const isShown = (row: Row) => typeof row[name] === 'string' || row[name] === null;
      if (name !== 'model' && whole.every(isShown))
        expect(ids, `${name}=${value}`).toEqual(whole.filter((row) => row[name] === value).map(idOf));
    }
    for (const a of asked)
      for (const b of asked) {
        if (a.name >= b.name) continue;
        const one = found.get(`${a.name}=${a.value}`) ?? [];
        const two = new Set(found.get(`${b.name}=${b.value}`));
        if (one.length === 0 || two.size === 0) continue;
        const both = await walk(route, { [a.name]: a.value, [b.name]: b.value, limit: '100' });
        expect(both.map(idOf), `${a.name}=${a.value}&${b.name}=${b.value}`).toEqual(
          one.filter((id) => two.has(id)),
        );
      }
  });
});

/** Parameters that a cursor is not bound to, and its order, which is asked for by itself. */
const NOT_BOUND = new Set(['limit', 'cursor', 'include', 'order']);

/** A value by which a question is another one than without the parameter. */
function otherValueOf({ name, schema }: ReturnType<typeof queryOf>[number]): string {
  const atMs = host.clock.now() - 3_600_000;
  if (/^(calls_)?(from|to)$/.test(name))
    return schema.type === 'integer' ? String(Math.floor(atMs / 1_000)) : new Date(atMs).toISOString();
  return schema.enum?.findLast((value) => value !== schema.default) ?? VALUES[name] ?? 'x';
}

const VALUES: Readonly<Record<string, string>> = {
  action: 'raise.ask',
  billing_period: '2026-01',
  min_cost_usd: '1',
  number: '12',
  pull_request: `${SHOP}#12`,
  repository: SHOP,
};

describe('a request with an Idempotency-Key', () => {
  const keyed = routes.filter(({ creates, needsIdempotencyKey, takesIdempotencyKey }) =>
    Boolean(creates ?? needsIdempotencyKey ?? takesIdempotencyKey),
  );
  const HOUR = 3_600_000;

  test.each(keyed.map((route) => [nameOf(route), route] as const))(
    '%s takes its key as it creates, is the same when it is repeated, and another one of another organization',
    async (name, { creates, auth, errorStyle }) => {
      const request = REQUESTS[name]?.request;
      if (!request) throw new Error(`${name} has no request.`);
      const headers = { 'Idempotency-Key': `law of ${name}` };
      await idempotencyRecordRows(host.ctx).deleteMany({});
      const atOnce = await Promise.all([1, 2, 3].map(() => request.send(own, host, { headers })));
      const first = atOnce.find(({ status }) => status < 300) ?? (atOnce[0] as (typeof atOnce)[number]);
      expect(first.status, first.text).toBeLessThan(300);
      const expectRepeat = (again: typeof first) => {
        if (errorStyle === 'oauth') expect(again.body).toMatchObject({ error: 'invalid_request' });
        else if (creates?.holdsSecret) expect(again.body).toMatchObject({ status: 409, code: 'conflict' });
        else expect([again.status, again.body]).toEqual([first.status, first.body]);
        expect(again.text).not.toContain('"key":"ugk_');
      };
      for (const beside of atOnce)
        if (beside !== first && !(name === ONE_AT_A_TIME && beside.status === 409)) expectRepeat(beside);
      const taken = (await idempotencyRecordRows(host.ctx).find({}).toArray()).map((row) => row.created_by);
      if (creates && name !== STRIPES) expect(taken).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      for (const waitMs of [0, HOUR]) {
        host.clock.advance(waitMs);
        expectRepeat(await request.send(own, host, { headers }));
      }
      if (auth.kind === 'none') return;
      const foreign = await request.send(other, host, { headers });
      expect(foreign.status, foreign.text).toBeLessThan(300);
      expect(foreign.headers.get('idempotent-replayed')).toBeNull();
      expect(foreign.body).not.toEqual(first.body);
      const key = await anotherOf(request.as);
      const beside =
        key && (await request.send(own, host, { as: 'nobody', headers: { ...headers, ...key } }));
      // A member or a raise of these fields may be there already, but it is not the answer to the other credential.
      if (beside) expect([beside.status, beside.headers.get('idempotent-replayed')]).not.toEqual([422, null]);
      if (beside) expect(beside.headers.get('idempotent-replayed')).toBeNull();
      const reused = await request.send(own, host, { headers, body: CHANGED[name] ?? { name: 'Another' } });
      expect(reused.body).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    },
  );
});

/** Its Checkout Session is Stripe's, and so is its idempotency. */
const STRIPES = 'post /v1/credits/checkout';
/** It takes long, and says that another one is made meanwhile. */
const ONE_AT_A_TIME = 'post /api/v1/repricings';

/** Another credential of the same kind and organization; undefined where there is only one. */
async function anotherOf(as: As): Promise<{ Authorization: string } | undefined> {
  const mint = ({ sub }: { sub: string }) => host.idp.mint(sub, { nowMs: host.clock.now() });
  const { orgId, people } = own;
  const admin = () => makePerson(host.ctx, host.idp, { orgId, role: 'admin' });
  const make: Partial<Record<As, () => Promise<string>>> = {
    key: () => own.keyOf(null, [...SCOPES]),
    bound: () => own.keyOf('ada'),
    ada: () => mint(people.bob),
    admin: async () => mint(await admin()),
  };
  const token = await make[as]?.();
  return token === undefined ? undefined : { Authorization: `Bearer ${token}` };
}

/** A field by which a body is another one, where it has no name. */
const CHANGED: Readonly<Record<string, object>> = {
  'post /api/v1/budgets/reserve': { estimate_usd: 9 },
  'post /v1/meter/consume': { output_sha256: 'b'.repeat(64) },
  'post /v1/credits/checkout': { credits: 7 },
  'post /admin/credits': { amount: 9 },
  'post /v1/invitations': { emails: ['another@example.org'] },
  'post /v1/keys/{id}/rotate': { grace_s: 60 },
  'post /api/v1/raises': { amount: 2 },
  'post /v1/raises': { amount: 2 },
  'post /api/v1/repricings': { only_unpriced: true },
};

test('every row that the store deletes by itself has the date by which it does', async () => {
  const expiring = COLLECTIONS.flatMap(({ collectionName, indexes }) =>
    indexes.flatMap(({ key, expireAfterSeconds }) =>
      expireAfterSeconds === undefined ? [] : [{ collectionName, field: Object.keys(key).join() }],
    ),
  );
  expect(expiring.length).toBeGreaterThan(0);
  for (const { collectionName, field } of expiring)
    for (const row of await host.ctx.db.database.collection(collectionName).find({}).toArray())
      expect(row[field], `${collectionName}.${field}`).toBeInstanceOf(Date);
});
