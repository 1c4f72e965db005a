import { describe, expect, test } from 'vitest';
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
  test('shows sums and days of one, people but no names, and none of another organization', async () => {
    await spend([daysAgo(6), 'cart', 1], [daysAgo(4), 'cart', 2, 'bob'], [daysAgo(4), 'cart', 0.5]);
    await tell({ openedMs: daysAgo(5), atMs: daysAgo(5) });
    const { body, text } = await read('');
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
      }),
    ]);
    expect(text).not.toMatch(/ada|bob/);
    const other = await makeTenant(api.ctx);
    expect((await read('', other.key)).body.data).toEqual([]);
    expect((await read(`/${body.data[0].id}`, other.key)).status).toBe(404);
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
    for (const name of ['by_user', 'by_model', 'by_branch', 'by_day']) {
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
