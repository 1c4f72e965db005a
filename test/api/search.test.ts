import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey, revokeApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { search } from '../../shared/wings/search/search.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const DAY_MS = 86_400_000;
const { ctx, orgId, key, clock, ask, send, budget, keyOf, member, tenant } = await fixture({
  clock: '2026-11-21T12:00:00Z',
});
/** The session of each user. */
const sessions = new Map<string, string>();

async function record(fields: Record<string, unknown>, as = key): Promise<string> {
  const signal = makeSignal({ ts: clock.now(), ...fields });
  const [{ status, session_id }] = (await ask('/api/v1/signals', signal, { key: as })).results;
  expect(status).toBe('accepted');
  return session_id;
}

beforeAll(async () => {
  for (const [user_id, project_id] of [
    ['ada', 'checkout'],
    ['adam', 'checkout-web'],
    ['bob', 'Check.*'],
    ['ćyd', 'billing'],
  ] as const)
    sessions.set(user_id, await record({ id: `call-of-${user_id}`, user_id, project_id, tool_name: 'edit' }));
  for (const name of ['Checkout team, monthly', 'All of it', '100 % of it']) await budget({ name });
  await budget({ name: 'Ada alone', scope: 'user', scope_id: 'ada' });
});

async function find(q: string, as = key) {
  const { data } = await ask(`/api/v1/search?q=${encodeURIComponent(q)}`, undefined, { key: as });
  return data as { kind: string; id: string; name: string; path: string }[];
}

const found = async (q: string, as?: string) => (await find(q, as)).map(({ kind, id }) => `${kind} ${id}`);
const boundTo = (user_id: string) => keyOf(user_id, ['usage:read']);

describe('GET /api/v1/search', () => {
  test('finds users and projects by the beginning of their id, whatever its capitals', async () => {
    expect(await found('ad')).toEqual(['user ada', 'user adam', expect.stringMatching(/^budget bud_/)]);
    expect(await found('checkout-')).toEqual(['project checkout-web']);
    expect(await found('CHECKOUT-WEB')).toEqual(['project checkout-web']);
    expect(await found('ćy')).toEqual(['user ćyd']);
    expect(await found('heckout-')).toEqual([]);
  });

  test('names what it found and where its page is; the same id comes first', async () => {
    const path = '/dashboard/?project_id=checkout';
    const [first, second] = await find('checkout');
    expect(first).toEqual({ kind: 'project', id: 'checkout', name: 'checkout', path });
    expect(second?.id).toBe('checkout-web');
  });

  test('finds a session by its id, and by the first 8 characters of it or more', async () => {
    const id = sessions.get('ada') ?? '';
    const session = { kind: 'session', id, name: 'ada, checkout', path: `/dashboard/sessions/${id}` };
    for (const length of [8, 12, id.length]) expect(await find(id.slice(0, length))).toEqual([session]);
    expect(await find(id.slice(0, 7))).toEqual([]);
    expect(await find(`${id}x`)).toEqual([]);
    expect(await find(id.slice(1))).toEqual([]);
  });

  test('finds a signal by its whole id, whatever tool sent it, and leads to its call', async () => {
    await record({ id: 'call-of-ada', user_id: 'ada', adapter: 'codex', model: 'gpt-5' });
    const signals = await find('call-of-ada');
    expect(signals).toHaveLength(2);
    expect(signals).toContainEqual({
      kind: 'signal',
      id: 'call-of-ada',
      name: 'edit',
      path: `/dashboard/sessions/${sessions.get('ada')}?call=call-of-ada`,
    });
    expect(await find('call-of-ad')).toEqual([]);
  });

  test('finds budgets by a part of their name', async () => {
    const names = async (q: string) => (await find(q)).map(({ name }) => name);
    expect(await names('team, MONTH')).toEqual(['Checkout team, monthly']);
    expect(await names('of it')).toEqual(['100 % of it', 'All of it']);
  });

  test('takes the text literally: no pattern, no operator', async () => {
    expect(await found('check.*')).toEqual(['project Check.*']);
    for (const q of ['.*', '^ada$', 'a.a', '%ad', '{"$gt":""}', 'ses_....', '\\w+', '__proto__'])
      expect(await found(q), q).toEqual([]);
    expect(await found('% of')).toHaveLength(1);
  });

  test('answers at most five of a kind', async () => {
    const { key: own } = await tenant();
    for (const n of [1, 2, 3, 4, 5, 6, 7])
      await record({ user_id: `user-${n}`, project_id: `user-${n}` }, own);
    const kinds = (await find('user-', own)).map(({ kind }) => kind);
    expect(kinds).toEqual([...Array(5).fill('user'), ...Array(5).fill('project')]);
  });

  test('shows a key of one user what is of that user, and nobody else', async () => {
    const own = await boundTo('ada');
    expect(await found('ad', own)).toEqual(['user ada', expect.stringMatching(/^budget bud_/)]);
    expect(await found('checkout', own)).toEqual(['project checkout']);
    expect(await found(sessions.get('bob') ?? '', own)).toEqual([]);
    expect(await found('call-of-bob', own)).toEqual([]);
    expect(await found('call-of-ada', own)).not.toEqual([]);
    expect(await found('All of', own)).toEqual([]);
  });

  test.each(['ad', 'é€', 'a'.repeat(128), '🙂🙂'])(
    'takes 2 to 128 characters, whatever they are: %s',
    async (q) => {
      expect((await send(`/api/v1/search?q=${encodeURIComponent(q)}`)).status).toBe(200);
    },
  );

  test('knows what was used today and within 400 days, and not what was used before', async () => {
    const { key: own } = await tenant();
    await record({ user_id: 'old-timer', project_id: 'old-project' }, own);
    const now = clock.now();
    clock.set(now + 399 * DAY_MS);
    expect(await found('old-', own)).toEqual(['user old-timer', 'project old-project']);
    clock.set(now + 402 * DAY_MS);
    expect(await found('old-', own)).toEqual([]);
    clock.set(now);
  });
});

describe('members', () => {
  const named = async (text: string, knowsMembers: boolean) => {
    const list = await search(ctx, { orgId, userId: null, knowsMembers, isPerson: false }, text);
    return list.filter(({ kind }) => kind === 'user').map(({ id, name }) => `${id}: ${name}`);
  };

  test('are found by a part of name and e-mail, also without usage, by those who may know them', async () => {
    await member('grace', { name: 'Grace Lindqvist' });
    await member('tom', { name: 'Tom Herrera' });
    await record({ user_id: 'grace' });
    expect(await named('grace', true), 'once, though she has calls too').toEqual(['grace: Grace Lindqvist']);
    expect(await named('lindq', true)).toEqual(['grace: Grace Lindqvist']);
    expect(await named('example.o', true)).toEqual(['grace: Grace Lindqvist', 'tom: Tom Herrera']);
    expect(await named('to', true)).toEqual(['tom: Tom Herrera']);
    expect(await named('lindq', false)).toEqual([]);
    expect(await named('tom', false)).toEqual([]);
  });

  test('who were removed are found by their id alone', async () => {
    await member('eve', { name: 'Eve Gone' });
    await record({ user_id: 'eve' });
    await removeMember(ctx, orgId, 'eve');
    expect(await named('Eve Gone', true)).toEqual([]);
    expect(await named('eve', true)).toEqual(['eve: eve']);
  });
});

describe('pull requests and branches', () => {
  const shop = 'github.com/acme/shop';
  const pulls = new Map<number, string>();
  const report = async (number: number, title: string, branch: string) => {
    const body = {
      repository: shop,
      number,
      title,
      branch,
      state: 'open',
      opened_at: new Date(clock.now() - number).toISOString(),
      url: `https://${shop}/pull/${number}`,
    };
    pulls.set(number, (await ask('/api/v1/pull-requests', body)).id);
  };
  const place = (branch: string, user_id: string) => ({ user_id, repository: shop, branch });
  beforeAll(async () => {
    await report(4156, 'Search by picture', 'search-by-picture');
    await report(415, 'Mend the search', 'mend-search');
    await record(place('search-by-picture', 'ada'));
    await record(place('mend-search', 'bob'));
    await record(place('release/2026.11', 'bob'));
  });

  test('are found by title, number, reference and address, and by a part of the name', async () => {
    const [first, second] = [pulls.get(4156), pulls.get(415)];
    const pull = {
      kind: 'pull_request',
      id: first,
      name: 'Search by picture',
      about: `${shop}#4156`,
      path: `/dashboard/pull-requests/${first}`,
    };
    expect(await find('by pict')).toEqual([pull]);
    for (const q of ['4156', '#4156', 'shop#4156', `${shop}#4156`, `https://${shop}/pull/4156/files`])
      expect((await find(q))[0], q).toEqual(pull);
    expect(await found('#415')).toEqual([`pull_request ${second}`, `pull_request ${first}`]);
    expect(await found('#999')).toEqual([]);
    expect(await found('SEARCH')).toEqual([
      `pull_request ${first}`,
      `pull_request ${second}`,
      `branch ${shop} search-by-picture`,
      `branch ${shop} mend-search`,
    ]);
    expect(await find('2026.11')).toEqual([
      {
        kind: 'branch',
        id: `${shop} release/2026.11`,
        name: 'release/2026.11',
        about: shop,
        path: '/dashboard/?repository=github.com%2Facme%2Fshop&branch=release%2F2026.11',
      },
    ]);
  });

  test('of others are not found by a key of one user, nor by another organization', async () => {
    const own = await boundTo('ada');
    expect(await found('search', own)).toEqual([
      `pull_request ${pulls.get(4156)}`,
      `branch ${shop} search-by-picture`,
    ]);
    for (const q of ['#415', 'mend-search', 'release/2026.11', `${shop}#415`]) {
      const others = (await found(q, own)).filter((one) => !one.includes(pulls.get(4156) ?? ''));
      expect(others, q).toEqual([]);
    }
    const { key: foreign } = await tenant();
    expect(await found('search', foreign)).toEqual([]);
  });

  test('without calls for 30 days are found: a pull request as before, a branch by its whole name', async () => {
    const now = clock.now();
    clock.set(now + 40 * DAY_MS);
    expect(await found('by pict')).toEqual([`pull_request ${pulls.get(4156)}`]);
    expect(await found('release/2026')).toEqual([]);
    expect(await found('release/2026.11')).toEqual([`branch ${shop} release/2026.11`]);
    clock.set(now);
  });
});

describe('keys', () => {
  test('are found by persons alone, who may see them: live ones, by a part of the name or by the id', async () => {
    const make = (name: string, user_id?: string) =>
      createApiKey(ctx, { org_id: orgId, scopes: ['usage:read'], name, ...(user_id ? { user_id } : {}) });
    const [whole, own] = [await make('Pipeline of all'), await make('Pipeline of Ada', 'ada')];
    const gone = await make('Pipeline of old');
    await revokeApiKey(ctx, gone.key_id);
    const keysOf = async (text: string, userId: string | null, isPerson = true) =>
      (await search(ctx, { orgId, userId, knowsMembers: false, isPerson }, text)).map(
        ({ kind, id, path }) => `${kind} ${id} ${path}`,
      );
    const settings = '/dashboard/settings?tab=keys';
    expect(await keysOf('pipeline', null)).toEqual([
      `key ${own.key_id} ${settings}`,
      `key ${whole.key_id} ${settings}`,
    ]);
    expect(await keysOf(whole.key_id, null)).toEqual([`key ${whole.key_id} ${settings}`]);
    expect(await keysOf('pipeline', 'ada')).toEqual([`key ${own.key_id} /dashboard/connect`]);
    expect(await keysOf('pipeline', null, false)).toEqual([]);
    expect(await found('pipeline')).toEqual([]);
  });
});
