import { describe, expect, test } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { type PullRequest, pullRequestRows } from '../../shared/wings/work/pull-requests/model.ts';
import { payloadOf } from '../support/code-hosts.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { api, DAY, daysAgo, host, iso, key, NOW, orgId, SHOP, setUpShop, spend } from '../support/shop.ts';

setUpShop();

interface Told {
  number?: number;
  branch?: string;
  /** When it was opened, and when the host tells of it. */
  openedMs?: number;
  atMs?: number;
  /** Null: it is open. */
  endMs?: number | null;
  state?: 'open' | 'closed' | 'merged';
  fork?: string | null;
}

const tell = ({ number = 12, branch = 'cart', endMs = null, fork = 'acme/shop', ...told }: Told) => {
  const { atMs = endMs ?? daysAgo(2), openedMs = atMs, state = endMs === null ? 'open' : 'merged' } = told;
  const closedAt = endMs === null ? null : iso(endMs);
  const times = { openedAt: iso(openedMs), updatedAt: iso(atMs), closedAt };
  return host.send(payloadOf('github', { number, branch, fork, state, ...times }));
};

const read = (path: string, by = key) => api.call(`/api/v1/${path}`, { key: by });
/** The body of an answer, which must be a success. */
async function get(path: string, by = key) {
  const { status, body, text } = await read(path, by);
  expect(status, text).toBe(200);
  return body;
}
const idOf = async (query = '') => (await get(`pull-requests${query}`)).data[0].id as string;
/** The costs of all pull requests, by number. */
async function costs(): Promise<Record<number, number>> {
  const { data } = await get('pull-requests?limit=100');
  return Object.fromEntries(data.map((row: Record<string, number>) => [row.number, row.cost_usd]));
}

/** Writes copies of the only pull request, but for their numbers and these fields. */
async function addCopies(count: number, fields: Partial<PullRequest>): Promise<void> {
  const row = (await pullRequestRows(api.ctx).findOne({ org_id: orgId })) as PullRequest;
  const copyOf = (_: unknown, at: number) => ({
    ...row,
    _id: `${row._id} ${at}`,
    number: at + 100,
    ...fields,
  });
  await pullRequestRows(api.ctx).insertMany(Array.from({ length: count }, copyOf));
}

describe('the cost of a pull request', () => {
  test('counts work before the opening, and a reused branch from the end of the last one on', async () => {
    await spend(
      [daysAgo(20), 'cart', 1],
      [daysAgo(12), 'cart', 2],
      [daysAgo(8), 'cart', 4],
      [daysAgo(2), 'cart', 8],
    );
    await spend([daysAgo(8), 'other', 16], [daysAgo(8), undefined, 32]);
    await tell({ number: 1, atMs: daysAgo(15) });
    expect(await costs()).toEqual({ 1: 15 });
    await tell({ number: 1, openedMs: daysAgo(15), endMs: daysAgo(10) });
    expect(await costs()).toEqual({ 1: 3 });
    await tell({ number: 2, atMs: daysAgo(5) });
    expect(await costs()).toEqual({ 1: 3, 2: 12 });
    await tell({ number: 2, openedMs: daysAgo(5), endMs: daysAgo(4) });
    expect(await costs()).toEqual({ 1: 3, 2: 4 });
    // Reopened, it has what followed its end.
    await tell({ number: 2, openedMs: daysAgo(5), atMs: daysAgo(1) });
    expect(await costs()).toEqual({ 1: 3, 2: 12 });
  });

  test('goes along when its branch is renamed, by a context or by its head', async () => {
    await spend([daysAgo(9), 'cart', 1], [daysAgo(7), 'basket', 2], [daysAgo(3), 'trolley', 4]);
    const place = { repository: SHOP, branch: 'basket', renamed_from: 'cart' };
    const contexts = [{ client_session_id: 's-1', ts: iso(daysAgo(8)), ...place }];
    const told = await api.call('/api/v1/contexts', { key, body: { contexts } });
    expect(told.body.results).toEqual([{ status: 'accepted' }]);
    await tell({ branch: 'basket', atMs: daysAgo(6) });
    expect(await costs()).toEqual({ 12: 3 });
    await tell({ branch: 'trolley', openedMs: daysAgo(6), atMs: daysAgo(4) });
    expect(await costs()).toEqual({ 12: 7 });
  });

  test('of a fork is that of the branch in the fork', async () => {
    const [theirs, ours] = ['github.com/ada/shop', SHOP].map((repository) =>
      makeSignal({ ts: daysAgo(3), repository, branch: 'cart', cost_usd: 1 }),
    );
    await api.call('/api/v1/signals', { key, body: { signals: [theirs, ours] } });
    await tell({ fork: 'ada/shop' });
    const row = { repository: SHOP, head_repository: 'github.com/ada/shop', cost_usd: 1 };
    expect((await get('pull-requests')).data).toMatchObject([row]);
  });
});

describe('the most expensive session of a pull request', () => {
  /** The owner and the most expensive session of each, by number. */
  const tops = async (query = '') => {
    const { data } = await get(`pull-requests${query}`);
    return Object.fromEntries(
      data.map(({ number, owner, top_session: top }: Record<string, never>) => [number, { owner, top }]),
    );
  };

  test('is the own one of a bound key, which is told no owner', async () => {
    await spend([daysAgo(3), 'cart', 5, 'bob'], [daysAgo(3), 'cart', 1, 'ada']);
    await tell({});
    const { key: own } = await createApiKey(api.ctx, {
      org_id: orgId,
      scopes: ['usage:read'],
      user_id: 'ada',
    });
    const { text, body } = await read(`pull-requests/${await idOf()}`, own);
    const top = { user_id: 'ada', cost_usd: 1 };
    const started_at = new Date(daysAgo(3)).toISOString();
    expect(body).toMatchObject({
      owner: null,
      top_session: top,
      by_session: { data: [{ ...top, started_at }] },
    });
    expect(text).not.toContain('bob');
  });

  test('is null where calls are no longer kept, or nothing was paid', async () => {
    await spend([daysAgo(3), 'cart', 5], [daysAgo(3), 'free', 0]);
    await tell({ number: 1 });
    await tell({ number: 2, branch: 'free' });
    expect(await tops()).toMatchObject({ 1: { top: { cost_usd: 5 } }, 2: { owner: null, top: null } });
    const row = await rollupRows(api.ctx).findOne({ org_id: orgId, period: 'day', cost_nusd: 5e9 });
    if (!row) throw new Error('no rollup');
    await rollupRows(api.ctx).insertOne({ ...row, _id: 'long ago', start: new Date(daysAgo(900)) });
    expect(await tops()).toMatchObject({ 1: { owner: { cost_usd: 10 }, top: null } });
    expect((await get(`pull-requests/${await idOf('?number=1')}`)).by_session).toBeNull();
  });

  test('is looked for in 50,000 calls of a page at most, those of its first rows', async () => {
    await spend([daysAgo(3), 'cart', 5], [daysAgo(3), 'basket', 4]);
    await tell({ number: 1 });
    await tell({ number: 2, branch: 'basket' });
    const expensive = { org_id: orgId, period: 'day', cost_nusd: 5e9 } as const;
    await rollupRows(api.ctx).updateOne(expensive, { $inc: { signals: 50_000 } });
    expect(await tops('?sort=cost_usd')).toMatchObject({
      1: { owner: { cost_usd: 5 }, top: null },
      2: { owner: { cost_usd: 4 }, top: { cost_usd: 4 } },
    });
  });
});

describe('the order by cost', () => {
  test('takes any whose number or time of opening leaves few enough, however many there are', async () => {
    await spend([daysAgo(3), 'cart', 5]);
    await tell({ number: 1, atMs: daysAgo(5) });
    await addCopies(5_000, { opened_at: new Date(daysAgo(9)) });
    for (const query of ['', `&to=${iso(daysAgo(4))}`])
      expect((await read(`pull-requests?sort=cost_usd${query}`)).status).toBe(400);
    for (const narrowed of [
      `from=${iso(daysAgo(5))}`,
      `from=${iso(daysAgo(6))}&to=${iso(daysAgo(4))}`,
      'number=1',
    ]) {
      const { data } = await get(`pull-requests?sort=cost_usd&${narrowed}`);
      expect(data.map(({ number }: { number: number }) => number)).toEqual([1]);
    }
  });
});

describe('GET /api/v1/pull-requests/{id}', () => {
  test('says what its cost is for: each table sums to the whole, and the rest is one line', async () => {
    const users = Array.from({ length: 103 }, (_, index) => `user-${index}`);
    await spend(
      ...users.map((user, index) => [daysAgo(3), 'cart', (index + 1) / 100, user] as const),
      [daysAgo(2), 'cart', 1, 'user-0'],
      [daysAgo(1), 'other', 9],
    );
    await tell({});
    const id = await idOf();
    const body = await get(`pull-requests/${id}`);
    const [first_call_at, last_call_at] = [3, 2].map((days) => new Date(daysAgo(days)).toISOString());
    const sums = { cost_usd: 54.56, signals: 104, people: 103, first_call_at, last_call_at };
    const by_branch = { data: [{ branch: 'cart', cost_usd: 54.56 }], others: null };
    expect(body).toMatchObject({ id, number: 12, ...sums, by_branch });
    expect(body.by_user.data).toHaveLength(100);
    expect(body.by_user.data.slice(0, 2)).toMatchObject([
      { user_id: 'user-102', cost_usd: 1.03 },
      { user_id: 'user-101', cost_usd: 1.02 },
    ]);
    expect(body.by_user.others).toMatchObject({ signals: 3 });
    const days = [daysAgo(2), daysAgo(3)].map((ms) => iso(ms).slice(0, 10));
    expect(body.by_day.data.map(({ day }: { day: string }) => day)).toEqual(days);
    expect(body.by_session.data).toHaveLength(100);
    expect(body.by_session.data[0]).toMatchObject({ user_id: 'user-102', cost_usd: 1.03, signals: 1 });
    for (const name of ['by_session', 'by_user', 'by_model', 'by_branch', 'by_day']) {
      const { data, others } = body[name];
      const sum = [...data, ...(others ? [others] : [])].reduce((all, { cost_usd }) => all + cost_usd, 0);
      expect(sum, name).toBeCloseTo(54.56, 6);
    }
  });

  test('of a pull request without calls has no sums', async () => {
    await tell({});
    const sums = { cost_usd: 0, people: 0, first_day: null, first_call_at: null };
    const by_user = { data: [], others: null };
    expect(await get(`pull-requests/${await idOf()}`)).toMatchObject({ ...sums, by_user });
  });
});

describe('GET /api/v1/pull-requests/summary', () => {
  const summary = (query = '') => get(`pull-requests/summary${query}`);

  test('sums up what was merged in a range, exact, and rounds last', async () => {
    const nothing = { cost_usd: 0, cost_per_merged_usd: null, median_usd: null };
    expect(await summary()).toEqual({ merged: 0, without_calls: 0, ...nothing });
    await spend([daysAgo(9), 'b1', 0.00005], [daysAgo(9), 'b2', 0.0001], [daysAgo(9), 'b3', 5]);
    const openedMs = daysAgo(8);
    for (const number of [1, 2, 4]) await tell({ number, branch: `b${number}`, openedMs, endMs: daysAgo(5) });
    await tell({ number: 3, branch: 'b3', openedMs, endMs: daysAgo(1) });
    await tell({ number: 5, branch: 'b5', openedMs, endMs: daysAgo(5), state: 'closed' });
    // (0.00005 + 0.0001 + 0) / 3 = 0.00005, which is half of a hundredth of a cent: to the even neighbour.
    const rounded = { cost_usd: 0.0002, cost_per_merged_usd: 0, median_usd: 0 };
    expect(await summary(`?to=${iso(daysAgo(2))}`)).toEqual({ merged: 3, without_calls: 1, ...rounded });
    expect(await summary(`?from=${iso(daysAgo(2))}`)).toMatchObject({ merged: 1, cost_per_merged_usd: 5 });
    expect(await summary()).toMatchObject({ merged: 4, without_calls: 1, median_usd: 0.0001 });
  });

  test('of more than 10,000 is refused', async () => {
    await tell({ openedMs: daysAgo(8), endMs: daysAgo(5) });
    await addCopies(10_000, {});
    const { status, body } = await read('pull-requests/summary');
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect((await summary(`?from=${iso(daysAgo(4))}`)).merged).toBe(0);
  }, 60_000);
});

const pull = (number: number) => `${SHOP}#${number}`;
const asked = (label: string) => `pull_request=${encodeURIComponent(label)}`;
/** All that the tests made. */
const RANGE = `from=${iso(daysAgo(30))}&to=${iso(NOW + DAY)}`;

describe('the filter pull_request', () => {
  test('takes any address of the repository, and goes with the other filters', async () => {
    await spend([daysAgo(3), 'cart', 1], [daysAgo(2), 'other', 2]);
    await tell({ number: 1, atMs: daysAgo(5) });
    const spent = async (query: string, by = key) =>
      (await get(`usage?${RANGE}&${query}`, by)).totals.cost_usd;
    for (const label of [pull(1), 'https://github.com/Acme/shop.git#1', 'git@github.com:acme/shop#1'])
      expect(await spent(asked(label))).toBe(1);
    expect(await spent(`${asked(pull(1))}&branch=cart`)).toBe(1);
    expect(await spent(`${asked(pull(1))}&branch=other`)).toBe(0);
    expect(await spent(asked(pull(2)))).toBe(0);
    const other = await makeTenant(api.ctx);
    expect(await spent(asked(pull(1)), other.key), 'of another organization').toBe(0);
    expect((await get(`sessions?${asked(pull(1))}`, other.key)).data).toEqual([]);
  });

  test.each(['shop', SHOP, `${SHOP}#0`, `${SHOP}#x`, '/home/ada/shop#1', '#1', `${SHOP}#9999999999999999`])(
    'refuses %s',
    async (label) => {
      for (const path of ['usage', 'sessions', 'usage/export', `org/${orgId}/usage`]) {
        const { status, body } = await read(`${path}?${asked(label)}`);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
      }
    },
  );
});

test('a session with calls on a pull request is found by it, and says it of its parts and of its signals', async () => {
  await spend([daysAgo(3), 'cart', 1], [daysAgo(3), undefined, 2], [daysAgo(1), 'other', 4]);
  await tell({ number: 1, atMs: daysAgo(5) });
  const { data } = await get(`sessions?${asked(pull(1))}`);
  expect(data).toMatchObject([{ cost_usd: 3 }]);
  const shown = await get(`sessions/${data[0].id}`);
  expect(shown.attribution).toMatchObject([
    { branch: 'cart', pull_request: pull(1), cost_usd: 1 },
    { branch: null, pull_request: null, cost_usd: 2 },
  ]);
  const labels = shown.signals.map(({ pull_request }: { pull_request: string | null }) => pull_request);
  expect(new Set(labels)).toEqual(new Set([pull(1), null]));
  await tell({ number: 1, openedMs: daysAgo(5), endMs: daysAgo(4) });
  expect((await get(`sessions?${asked(pull(1))}`)).data).toEqual([]);
});
