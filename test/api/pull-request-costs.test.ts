import { describe, expect, test } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { pullRequestRows } from '../../shared/wings/work/pull-requests/model.ts';
import { payloadOf } from '../support/code-hosts.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { api, daysAgo, host, iso, key, openShop, orgId, SHOP, setUpShop, spend } from '../support/shop.ts';

setUpShop();

interface Told {
  number?: number;
  branch?: string;
  openedMs?: number;
  /** Null: it is open. */
  endMs?: number | null;
  state?: 'open' | 'closed' | 'merged';
  atMs: number;
  fork?: string | null;
}

const tell = ({
  number = 12,
  branch = 'cart',
  openedMs,
  endMs = null,
  state,
  atMs,
  fork = 'acme/shop',
}: Told) =>
  host.send(
    payloadOf('github', {
      number,
      branch,
      fork,
      openedAt: iso(openedMs ?? atMs),
      updatedAt: iso(atMs),
      closedAt: endMs === null ? null : iso(endMs),
      state: state ?? (endMs === null ? 'open' : 'merged'),
    }),
  );

const read = async (path: string, by = key) => api.call(`/api/v1/pull-requests${path}`, { key: by });
const keyOfAda = async () =>
  (await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'], user_id: 'ada' })).key;
/** The costs of all pull requests, by number. */
async function costs(by = key): Promise<Record<number, number>> {
  const { body } = await read('?limit=100', by);
  return Object.fromEntries(
    body.data.map(({ number, cost_usd }: Record<string, number>) => [number, cost_usd]),
  );
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
    await tell({ number: 1, openedMs: daysAgo(15), endMs: daysAgo(10), atMs: daysAgo(10) });
    expect(await costs()).toEqual({ 1: 3 });
    await tell({ number: 2, atMs: daysAgo(5) });
    expect(await costs()).toEqual({ 1: 3, 2: 12 });
    await tell({ number: 2, openedMs: daysAgo(5), endMs: daysAgo(4), atMs: daysAgo(4) });
    expect(await costs()).toEqual({ 1: 3, 2: 4 });
    // Reopened, it has what followed its end.
    await tell({ number: 2, openedMs: daysAgo(5), atMs: daysAgo(1) });
    expect(await costs()).toEqual({ 1: 3, 2: 12 });
  });

  test('goes along when its branch is renamed, by a context or by its head', async () => {
    await spend([daysAgo(9), 'cart', 1], [daysAgo(7), 'basket', 2], [daysAgo(3), 'trolley', 4]);
    const context = {
      client_session_id: 's-1',
      ts: iso(daysAgo(8)),
      repository: SHOP,
      branch: 'basket',
      renamed_from: 'cart',
    };
    const told = await api.call('/api/v1/contexts', { key, body: { contexts: [context] } });
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
    await tell({ atMs: daysAgo(2), fork: 'ada/shop' });
    const { body } = await read('');
    expect(body.data).toMatchObject([
      { repository: SHOP, head_repository: 'github.com/ada/shop', cost_usd: 1 },
    ]);
  });

  test('is the same whatever comes first, the calls or the events', async () => {
    const story = async (isLate: boolean) => {
      const calls = () => spend([daysAgo(6), 'cart', 1], [daysAgo(4), 'cart', 2], [daysAgo(2), 'cart', 4]);
      if (!isLate) await calls();
      await tell({ number: 1, openedMs: daysAgo(7), endMs: daysAgo(5), atMs: daysAgo(5) });
      await tell({ number: 2, openedMs: daysAgo(4), endMs: daysAgo(3), atMs: daysAgo(3) });
      if (isLate) await calls();
      return costs();
    };
    expect(await story(false)).toEqual({ 1: 1, 2: 2 });
    await openShop();
    expect(await story(true)).toEqual({ 1: 1, 2: 2 });
  });
});

describe('GET /api/v1/pull-requests', () => {
  test('shows sums and days of one, its owner, and none of another organization', async () => {
    await spend([daysAgo(6), 'cart', 1], [daysAgo(4), 'cart', 2, 'bob'], [daysAgo(4), 'cart', 0.5]);
    await tell({ openedMs: daysAgo(5), atMs: daysAgo(5) });
    const { body } = await read('');
    expect(body.data).toEqual([
      expect.objectContaining({
        signals: 3,
        errors: 0,
        tokens_in: 300,
        tokens_out: 30,
        cost_usd: 3.5,
        unpriced_signals: 0,
        people: 2,
        first_day: iso(daysAgo(6)).slice(0, 10),
        last_day: iso(daysAgo(4)).slice(0, 10),
        owner: { user_id: 'bob', cost_usd: 2 },
        top_session: { id: expect.stringMatching(/^ses_/), user_id: 'bob', cost_usd: 2 },
      }),
    ]);
    const other = await makeTenant(api.ctx);
    expect((await read('', other.key)).body.data).toEqual([]);
    expect((await read(`/${body.data[0].id}`, other.key)).status).toBe(404);
  });
});

describe('the most expensive session of a pull request', () => {
  /** The owner and the most expensive session of each, by number. */
  const tops = async (query: string, by = key) => {
    const { body } = await read(query, by);
    return Object.fromEntries(
      body.data.map(({ number, owner, top_session: top }: Record<string, never>) => [number, { owner, top }]),
    );
  };

  test('counts with its calls on it in the time that is asked for', async () => {
    // One session of Ada, on two branches; the next one is a day later.
    await spend(
      [daysAgo(9), 'cart', 1],
      [daysAgo(9) + 60_000, 'other', 50],
      [daysAgo(9) + 120_000, 'cart', 2],
    );
    await spend([daysAgo(2), 'cart', 2, 'bob'], [daysAgo(2), 'cart', 0.5, 'ada']);
    await tell({ atMs: daysAgo(1) });
    expect(await tops('')).toMatchObject({
      12: { owner: { user_id: 'ada', cost_usd: 3.5 }, top: { user_id: 'ada', cost_usd: 3 } },
    });
    const lately = `?sort=cost_usd&calls_from=${iso(daysAgo(3))}`;
    expect(await tops(lately)).toMatchObject({
      12: { owner: { user_id: 'bob', cost_usd: 2 }, top: { user_id: 'bob', cost_usd: 2 } },
    });
    const { session_id: id } = (await read(`/${(await read('')).body.data[0].id}`)).body.by_session.data[0];
    expect((await tops(''))[12].top.id).toBe(id);
  });

  test('is the own one of a bound key, which is told no owner', async () => {
    await spend([daysAgo(3), 'cart', 5, 'bob'], [daysAgo(3), 'cart', 1, 'ada']);
    await tell({ atMs: daysAgo(2) });
    const own = await keyOfAda();
    expect(await tops('', own)).toMatchObject({ 12: { owner: null, top: { user_id: 'ada', cost_usd: 1 } } });
    const [{ id }] = (await read('', own)).body.data;
    const { text, body } = await read(`/${id}`, own);
    expect(body.by_session.data).toMatchObject([{ user_id: 'ada', cost_usd: 1 }]);
    expect(text).not.toContain('bob');
  });

  test('is null where calls are no longer kept, or nothing was paid', async () => {
    await spend([daysAgo(3), 'cart', 5], [daysAgo(3), 'free', 0]);
    await tell({ number: 1, branch: 'cart', atMs: daysAgo(2) });
    await tell({ number: 2, branch: 'free', atMs: daysAgo(2) });
    expect(await tops('')).toMatchObject({ 1: { top: { cost_usd: 5 } }, 2: { owner: null, top: null } });
    const row = await rollupRows(api.ctx).findOne({ org_id: orgId, period: 'day', cost_nusd: 5e9 });
    if (!row) throw new Error('no rollup');
    await rollupRows(api.ctx).insertOne({ ...row, _id: 'long ago', start: new Date(daysAgo(900)) });
    expect(await tops('')).toMatchObject({ 1: { owner: { cost_usd: 10 }, top: null } });
    const { body } = await read(`/${(await read('?number=1')).body.data[0].id}`);
    expect(body.by_session).toBeNull();
  });

  test('is looked for in 50,000 calls of a page at most, those of its first rows', async () => {
    await spend([daysAgo(3), 'cart', 5], [daysAgo(3), 'basket', 4]);
    await tell({ number: 1, branch: 'cart', atMs: daysAgo(2) });
    await tell({ number: 2, branch: 'basket', atMs: daysAgo(2) });
    await rollupRows(api.ctx).updateOne(
      { org_id: orgId, period: 'day', cost_nusd: 5e9 },
      { $inc: { signals: 50_000 } },
    );
    expect(await tops('?sort=cost_usd')).toMatchObject({
      1: { owner: { cost_usd: 5 }, top: null },
      2: { owner: { cost_usd: 4 }, top: { cost_usd: 4 } },
    });
  });
});

describe('GET /api/v1/branches', () => {
  const branches = async (query = '', by = key) => {
    const { body } = await api.call(`/api/v1/branches${query}`, { key: by });
    return body;
  };

  test('puts the branches with calls in a time in order by their cost, page by page', async () => {
    await spend([daysAgo(9), 'cart', 100], [daysAgo(3), 'cart', 1, 'bob'], [daysAgo(3), 'cart', 2]);
    await spend([daysAgo(3), 'other', 2], [daysAgo(3), undefined, 7]);
    await spend([daysAgo(2), 'other', 2]);
    // A pull request that ended does not split its branch.
    await tell({ branch: 'cart', openedMs: daysAgo(9), endMs: daysAgo(3) - 1, atMs: daysAgo(3) - 1 });
    const asked = `?calls_from=${iso(daysAgo(4))}&limit=1`;
    const first = await branches(asked);
    expect(first).toMatchObject({
      total: 2,
      has_more: true,
      data: [{ repository: SHOP, branch: 'other', cost_usd: 4, people: 1, top_session: { cost_usd: 2 } }],
    });
    const second = await branches(`${asked}&cursor=${first.cursor}`);
    expect(second.data).toMatchObject([
      {
        branch: 'cart',
        cost_usd: 3,
        people: 2,
        owner: { user_id: 'ada', cost_usd: 2 },
        first_day: iso(daysAgo(3)).slice(0, 10),
      },
    ]);
    expect(await branches('?repository=github.com/acme/none')).toMatchObject({ data: [], total: 0 });
    expect((await branches()).data[0]).toMatchObject({ branch: 'cart', cost_usd: 103 });
  });

  test('shows a bound key its own part, and another organization none', async () => {
    await spend(
      [daysAgo(3), 'cart', 5, 'bob'],
      [daysAgo(3), 'cart', 1, 'ada'],
      [daysAgo(3), 'bobs', 1, 'bob'],
    );
    const own = await keyOfAda();
    const { data } = await branches('', own);
    expect(data).toMatchObject([
      { branch: 'cart', cost_usd: 1, people: 1, owner: null, top_session: { user_id: 'ada', cost_usd: 1 } },
    ]);
    expect((await branches('', (await makeTenant(api.ctx)).key)).data).toEqual([]);
  });
});

describe('GET /api/v1/pull-requests/{id}', () => {
  test('says what its cost is for: each table sums to the whole, and the rest is one line', async () => {
    const users = Array.from({ length: 103 }, (_, index) => `user-${index}`);
    await spend(
      ...users.map(
        (user, index) => [daysAgo(3), 'cart', (index + 1) / 100, user] as [number, string, number, string],
      ),
    );
    await spend([daysAgo(2), 'cart', 1, 'user-0'], [daysAgo(1), 'other', 9]);
    await tell({ atMs: daysAgo(2) });
    const { id } = (await read('')).body.data[0];
    const { status, body } = await read(`/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      number: 12,
      cost_usd: 54.56,
      signals: 104,
      people: 103,
      first_call_at: new Date(daysAgo(3)).toISOString(),
      last_call_at: new Date(daysAgo(2)).toISOString(),
    });
    expect(body.by_user.data).toHaveLength(100);
    expect(body.by_user.data.slice(0, 2)).toMatchObject([
      { user_id: 'user-102', cost_usd: 1.03 },
      { user_id: 'user-101', cost_usd: 1.02 },
    ]);
    expect(body.by_user.others).toMatchObject({ signals: 3 });
    expect(body.by_branch).toMatchObject({ data: [{ branch: 'cart', cost_usd: 54.56 }], others: null });
    expect(body.by_day.data.map(({ day }: { day: string }) => day)).toEqual([
      iso(daysAgo(2)).slice(0, 10),
      iso(daysAgo(3)).slice(0, 10),
    ]);
    expect(body.by_session.data).toHaveLength(100);
    expect(body.by_session.data[0]).toMatchObject({ user_id: 'user-102', cost_usd: 1.03, signals: 1 });
    for (const name of ['by_session', 'by_user', 'by_model', 'by_branch', 'by_day']) {
      const { data, others } = body[name];
      const sum = [...data, ...(others ? [others] : [])].reduce((all, { cost_usd }) => all + cost_usd, 0);
      expect(sum, name).toBeCloseTo(54.56, 6);
    }
  });

  test('of a pull request without calls has no sums', async () => {
    await tell({ atMs: daysAgo(2) });
    const { id } = (await read('')).body.data[0];
    expect((await read(`/${id}`)).body).toMatchObject({
      cost_usd: 0,
      people: 0,
      first_day: null,
      first_call_at: null,
      by_user: { data: [], others: null },
    });
    expect((await read('/pr_x')).status).toBe(404);
  });
});

describe('GET /api/v1/pull-requests/summary', () => {
  test('sums up what was merged in a range, exact, and rounds last', async () => {
    const empty = await read('/summary');
    expect(empty.body).toEqual({
      merged: 0,
      without_calls: 0,
      cost_usd: 0,
      cost_per_merged_usd: null,
      median_usd: null,
    });
    await spend([daysAgo(9), 'b1', 0.00005], [daysAgo(9), 'b2', 0.0001], [daysAgo(9), 'b3', 5]);
    for (const number of [1, 2, 4])
      await tell({ number, branch: `b${number}`, openedMs: daysAgo(8), endMs: daysAgo(5), atMs: daysAgo(5) });
    await tell({ number: 3, branch: 'b3', openedMs: daysAgo(8), endMs: daysAgo(1), atMs: daysAgo(1) });
    await tell({
      number: 5,
      branch: 'b5',
      openedMs: daysAgo(8),
      endMs: daysAgo(5),
      state: 'closed',
      atMs: daysAgo(5),
    });
    // (0.00005 + 0.0001 + 0) / 3 = 0.00005, which is half of a hundredth of a cent: to the even neighbour.
    expect((await read(`/summary?to=${iso(daysAgo(2))}`)).body).toEqual({
      merged: 3,
      without_calls: 1,
      cost_usd: 0.0002,
      cost_per_merged_usd: 0,
      median_usd: 0,
    });
    expect((await read(`/summary?from=${iso(daysAgo(2))}`)).body).toMatchObject({
      merged: 1,
      cost_per_merged_usd: 5,
    });
    expect((await read('/summary')).body).toMatchObject({ merged: 4, without_calls: 1, median_usd: 0.0001 });
    expect((await read('/summary?repository=github.com/acme/other')).body.merged).toBe(0);
    expect((await read('/summary?state=merged')).status).toBe(400);
  });

  test('of more than 10,000 is refused', async () => {
    await tell({ openedMs: daysAgo(8), endMs: daysAgo(5), atMs: daysAgo(5) });
    const [row] = await pullRequestRows(api.ctx).find({ org_id: orgId }).toArray();
    if (!row) throw new Error('no pull request');
    const copies = Array.from({ length: 10_000 }, (_, index) => ({
      ...row,
      _id: `pr_copy${index}`,
      number: index + 100,
    }));
    await pullRequestRows(api.ctx).insertMany(copies);
    const { status, body } = await read('/summary');
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect((await read(`/summary?from=${iso(daysAgo(4))}`)).body.merged).toBe(0);
  }, 60_000);
});
