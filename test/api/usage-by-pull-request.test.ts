import { describe, expect, test } from 'vitest';
import { payloadOf } from '../support/code-hosts.ts';
import { makeTenant } from '../support/factories.ts';
import { api, DAY, daysAgo, host, iso, key, NOW, orgId, SHOP, setUpShop, spend } from '../support/shop.ts';

setUpShop();
const pull = (number: number) => `${SHOP}#${number}`;
const asked = (label: string) => `pull_request=${encodeURIComponent(label)}`;
/** All that the tests made. */
const RANGE = `from=${iso(daysAgo(30))}&to=${iso(NOW + DAY)}`;

async function get(path: string, by = key) {
  const { status, body } = await api.call(`/api/v1/${path}`, { key: by });
  expect(status).toBe(200);
  return body;
}

type Spent = [days: number, branch: string | undefined, usd: number, user?: string];

const spendDaysAgo = (...calls: Spent[]) =>
  spend(...calls.map(([days, ...rest]) => [daysAgo(days), ...rest] as const));

/** The host reports a pull request as it was so many days ago. */
const tell = (number: number, branch: string, opened: number, at: number, ended?: number) =>
  host.send(
    payloadOf('github', {
      number,
      branch,
      openedAt: iso(daysAgo(opened)),
      updatedAt: iso(daysAgo(at)),
      closedAt: ended === undefined ? null : iso(daysAgo(ended)),
      state: ended === undefined ? 'open' : 'merged',
    }),
  );

interface Grouped {
  key: { pull_request: string | null };
  cost_usd: number;
}

const costsOf = (groups: Grouped[]) =>
  Object.fromEntries(groups.map(({ key: of, cost_usd }) => [of.pull_request, cost_usd]));

/** The cost of each pull request, which sum to the totals. */
async function costs(query = ''): Promise<Record<string, number>> {
  const { totals, groups } = await get(`usage?${RANGE}&group_by=pull_request${query}`);
  expect(groups.reduce((sum: number, { cost_usd }: Grouped) => sum + cost_usd, 0)).toBe(totals.cost_usd);
  return costsOf(groups.filter(({ cost_usd }: Grouped) => cost_usd > 0));
}

describe('usage by pull request', () => {
  test('follows what pull requests become, and its groups always sum to the totals', async () => {
    await spendDaysAgo([20, 'cart', 1], [12, 'cart', 2], [8, 'cart', 4], [2, 'cart', 8], [2, undefined, 16]);
    await spendDaysAgo([9.5, 'cart', 32]);
    expect(await costs()).toEqual({ null: 63 });
    await tell(1, 'cart', 15, 15);
    expect(await costs()).toEqual({ [pull(1)]: 47, null: 16 });
    await tell(1, 'cart', 15, 10, 10);
    expect(await costs()).toEqual({ [pull(1)]: 3, null: 60 });
    await tell(2, 'cart', 5, 5);
    expect(await costs()).toEqual({ [pull(1)]: 3, [pull(2)]: 44, null: 16 });
    const context = { client_session_id: 's', ts: iso(daysAgo(9)), repository: SHOP, branch: 'basket' };
    await api.call('/api/v1/contexts', {
      key,
      body: { contexts: [{ ...context, renamed_from: 'cart' }] },
    });
    await tell(3, 'basket', 9, 4);
    // A call before the rename goes along with the new name; later ones stay.
    expect(await costs()).toEqual({ [pull(1)]: 3, [pull(2)]: 12, [pull(3)]: 32, null: 16 });
    expect(await costs(`&${asked(pull(2))}`)).toEqual({ [pull(2)]: 12 });
  });
});

describe('the filter pull_request', () => {
  test('takes any address of the repository, and goes with the other filters', async () => {
    await spendDaysAgo([3, 'cart', 1], [2, 'other', 2]);
    await tell(1, 'cart', 5, 5);
    const spent = async (query: string) => (await get(`usage?${RANGE}&${query}`)).totals.cost_usd;
    for (const label of [pull(1), 'https://github.com/Acme/shop.git#1', 'git@github.com:acme/shop#1'])
      expect(await spent(asked(label))).toBe(1);
    expect(await spent(`${asked(pull(1))}&branch=cart`)).toBe(1);
    expect(await spent(`${asked(pull(1))}&branch=other`)).toBe(0);
    expect(await spent(asked(pull(2)))).toBe(0);
  });

  test('of another organization’s pull request finds nothing', async () => {
    await spendDaysAgo([3, 'cart', 1]);
    await tell(1, 'cart', 5, 5);
    const other = await makeTenant(api.ctx);
    expect((await get(`usage?${RANGE}&${asked(pull(1))}`, other.key)).totals.signals).toBe(0);
    expect((await get(`sessions?${asked(pull(1))}`, other.key)).data).toEqual([]);
  });

  test.each(['shop', SHOP, `${SHOP}#0`, `${SHOP}#x`, '/home/ada/shop#1', '#1', `${SHOP}#9999999999999999`])(
    'refuses %s',
    async (label) => {
      for (const path of ['usage', 'sessions', 'usage/export', `org/${orgId}/usage`]) {
        const { status, body } = await api.call(`/api/v1/${path}?${asked(label)}`, { key });
        expect([status, body.code]).toEqual([400, 'invalid_request']);
      }
    },
  );
});

describe('a session with calls on a pull request', () => {
  test('is found by it, and says it of its parts and of its signals', async () => {
    await spendDaysAgo([3, 'cart', 1], [3, undefined, 2], [1, 'other', 4]);
    await tell(1, 'cart', 5, 5);
    const { data } = await get(`sessions?${asked(pull(1))}`);
    expect(data).toMatchObject([{ cost_usd: 3 }]);
    const shown = await get(`sessions/${data[0].id}`);
    expect(shown.attribution).toMatchObject([
      { branch: 'cart', pull_request: pull(1), cost_usd: 1 },
      { branch: null, pull_request: null, cost_usd: 2 },
    ]);
    const labels = shown.signals.map(({ pull_request }: { pull_request: string | null }) => pull_request);
    expect(new Set(labels)).toEqual(new Set([pull(1), null]));
    await tell(1, 'cart', 5, 4, 4);
    expect((await get(`sessions?${asked(pull(1))}`)).data).toEqual([]);
  });
});
