import { beforeAll, describe, expect, it, vi } from 'vitest';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { freezeAnalytics } from '../../shared/wings/analytics/freeze-weeks.ts';
import { frozenCellRows, frozenWeekRows } from '../../shared/wings/analytics/model.ts';
import { type Contribution, suppressWeek } from '../../shared/wings/analytics/suppress.ts';
import { fixture, type Tenant } from '../support/fixture.ts';
import { pick, seeded } from '../support/random.ts';

// A Wednesday; Berlin changes to summer time on 29 March.
const NOW = Date.parse('2026-04-15T12:07:00Z');
const HOUR = 3_600_000;
const SEED = 990_017;
const K = 5;
const MONDAYS = ['03-15T23', '03-22T23', '03-29T22', '04-05T22', '04-12T22'].map(
  (text) => `2026-${text}:00:00.000Z`,
);
const EDGES = MONDAYS.map((text) => Date.parse(text)) as [number, number, number, number, number];
const USERS = 14;
const TEAMS: Record<string, string[]> = {
  u0: ['red'],
  u1: ['red'],
  u2: ['red', 'blue'],
  u3: [],
  u4: ['blue'],
};
const teamsOf = (user: string) => TEAMS[user] ?? [Number(user.slice(1)) % 2 === 0 ? 'red' : 'blue'];

const { api, clock, send, tenant, ...own } = await fixture({
  clock: NOW,
  tenant: { timezone: 'Europe/Berlin', scopes: ['org:read'] },
});
const random = seeded(SEED);
/** Calls of four weeks, at each sixth hour. */
const calls = Array.from({ length: 1_200 }, () => {
  const user = Math.floor(random() ** 1.3 * USERS);
  return {
    ts: EDGES[0] + Math.floor((random() * (EDGES[4] - EDGES[0])) / (6 * HOUR)) * 6 * HOUR,
    user_id: `u${user}`,
    project_id: user === 13 ? 'lonely' : `p${Math.floor(user / 7)}`,
    model: user === 0 ? pick(random, ['rare', 'gpt-5']) : pick(random, ['gpt-5', 'gpt-4o-mini']),
    adapter: pick(random, ['codex', 'claude-code']),
    tokens_in: 1 + Math.floor(random() * 1_000 * (user === 5 ? 40 : 1)),
    tokens_out: 1 + Math.floor(random() * 100),
    cost_usd: Math.ceil(random() * 1e6) / 1e6,
  };
});
type Call = (typeof calls)[number];
const sumOf = (of: readonly Call[], amount: (call: Call) => number) =>
  of.reduce((sum, call) => sum + amount(call), 0);

beforeAll(async () => {
  for (let user = 0; user < USERS; user += 1) await own.member(`u${user}`, { teams: teamsOf(`u${user}`) });
  await own.record(...calls);
  await freeze(own.orgId);
});

async function freeze(orgId: string, ctx: typeof api.ctx = api.ctx) {
  return freezeAnalytics(ctx, await readOrganization(ctx, orgId));
}

async function ask(query: Record<string, string>, { orgId, key }: Pick<Tenant, 'orgId' | 'key'> = own) {
  const path = `/api/v1/org/${orgId}/analytics?${new URLSearchParams(query).toString()}`;
  const answer = await send(path, undefined, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** One more organization in UTC, on a plan that has these answers too, with calls of the week from 6 April on. */
async function organization(settings: Parameters<typeof changeOrganization>[2] = {}) {
  const other = await tenant({ plan: 'free', timezone: 'UTC', scopes: [...SCOPES] });
  if (Object.keys(settings).length > 0) await changeOrganization(api.ctx, other.orgId, settings);
  const ts = Date.parse('2026-04-08T10:00:00Z');
  const call = (users: readonly string[], more: (index: number) => object = () => ({})) =>
    other.record(...users.map((user_id, index) => ({ ts, user_id, ...more(index) })));
  return {
    ...other,
    call,
    /** Calls of these users, and a freeze after them. */
    freezeAfter: async (users: readonly string[] = [], more?: Parameters<typeof call>[1]) => {
      await call(users, more);
      return freeze(other.orgId);
    },
    read: (dimension = 'none', from = '2026-04-06') => ask({ dimension, from }, other),
  };
}
const inLaterWeek = () => ({ ts: Date.parse('2026-04-14T10:00:00Z') });
const people = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `s${from + index}`);

/** Tells of each read of a collection how many keys it asks for. */
function watchFinds(watched: unknown, tell: (keys: number) => void) {
  const collection = watched as { find: (filter: { _id: { $in: string[] } }, options: unknown) => unknown };
  const find = collection.find.bind(collection);
  vi.spyOn(collection, 'find').mockImplementation((filter, options) => {
    tell(filter._id.$in.length);
    return find(filter, options);
  });
}

/** The value of a call, computed apart from the product. */
const VALUE: Record<string, (call: Call) => string | number | null> = {
  none: () => null,
  model: (call) => call.model,
  adapter: (call) => call.adapter,
  project: (call) => call.project_id,
  team: (call) => teamsOf(call.user_id).sort().join(' + ') || null,
  hour_of_week: (call) => {
    const local = new Date(call.ts + (call.ts >= Date.parse('2026-03-29T01:00:00Z') ? 2 : 1) * HOUR);
    return ((local.getUTCDay() + 6) % 7) * 24 + local.getUTCHours();
  },
};

/** The calls of a week by value, and the values that must be hidden. */
function visible(dimension: string, week: number) {
  const of = calls.filter(({ ts }) => ts >= (EDGES[week] ?? 0) && ts < (EDGES[week + 1] ?? 0));
  const byValue = Map.groupBy(of, (call) => VALUE[dimension]?.(call) ?? null);
  const cells = [...byValue].map(([value, those]) => ({
    value: String(value),
    contributions: [...Map.groupBy(those, ({ user_id }) => user_id)].map(
      ([user, own]): Contribution => ({
        user,
        isOther: false,
        signals: own.length,
        tokens_in: sumOf(own, ({ tokens_in }) => tokens_in),
        tokens_out: sumOf(own, ({ tokens_out }) => tokens_out),
        cost_nusd: sumOf(own, ({ cost_usd }) => Math.round(cost_usd * 1e9)),
      }),
    ),
  }));
  return { of, byValue, hidden: suppressWeek(cells, K).hidden };
}

/** The cell of a value over weeks, computed apart from the product. */
function cellOf(value: string | number | null, weeks: readonly ReturnType<typeof visible>[]) {
  const those = weeks.filter(({ byValue }) => byValue.has(value));
  const open = those.filter(({ hidden }) => !hidden.has(String(value)));
  if (open.length === 0) return { suppressed: true };
  const inside = open.flatMap(({ byValue }) => byValue.get(value) ?? []);
  return {
    active_users: new Set(inside.map(({ user_id }) => user_id)).size,
    signals: inside.length,
    tokens_in: sumOf(inside, ({ tokens_in }) => tokens_in),
    hidden_weeks: those.length - open.length,
  };
}

describe('GET /api/v1/org/{orgId}/analytics', () => {
  it.each(Object.keys(VALUE))(
    'by %s answers, for every range of weeks, sums of visible cells (week × value) and of nothing else',
    async (dimension) => {
      const all = [0, 1, 2, 3].map((week) => visible(dimension, week));
      const ranges = all.flatMap((_, from) => [1, 2, 3, 4].slice(from).map((to) => [from, to] as const));
      const found: { suppressed?: true }[] = [];
      for (const [from, to] of ranges) {
        const { cells, totals, trend } = await ask({
          dimension,
          from: MONDAYS[from] ?? '',
          to: MONDAYS[to] ?? '',
        });
        const weeks = all.slice(from, to);
        for (const { key, ...cell } of cells) {
          const meant = cellOf(key[dimension], weeks);
          const where = `${JSON.stringify(key)} ${from}..${to}, seed ${SEED}`;
          if (meant.suppressed) expect(cell, where).toEqual(meant);
          else expect(cell, where).toMatchObject(meant);
        }
        found.push(...cells);
        const values = new Set(weeks.flatMap(({ byValue }) => [...byValue.keys()]));
        expect(cells).toHaveLength(dimension === 'none' ? 0 : values.size);
        const signals = weeks.map(({ of }) => of.length);
        expect(trend).toMatchObject(signals.map((count) => ({ signals: count })));
        expect(totals.signals).toBe(signals.reduce((sum, count) => sum + count));
      }
      const hidden = found.filter(({ suppressed }) => suppressed).length;
      if (dimension !== 'none') expect(found.length).toBeGreaterThan(hidden);
      if (['model', 'project', 'team', 'hour_of_week'].includes(dimension)) expect(hidden).toBeGreaterThan(0);
    },
  );

  it('takes the last four closed weeks and tells k', async () => {
    const answer = await ask({});
    expect([answer.from, answer.to]).toEqual([MONDAYS[0], MONDAYS[4]]);
    expect(answer).toMatchObject({ dimension: 'none', k: 5, cells: [] });
    expect(answer.trend).toHaveLength(4);
    expect(answer.totals.median_cost_usd).toBeGreaterThan(0);
  });

  it('holds one week of one question at a time', async () => {
    const read: string[] = [];
    watchFinds(frozenWeekRows(api.ctx), () => read.push('question'));
    watchFinds(frozenCellRows(api.ctx), (keys) => read.push(`week ${keys}`));
    await Promise.all(['model', 'model', 'project'].map((dimension) => ask({ dimension })));
    vi.restoreAllMocks();
    const one = ['question', ...Array.from({ length: 4 }, () => 'week 1')];
    expect(read).toEqual([...one, ...one, ...one]);
  });

  it('tells a median only of 2k users or more', async () => {
    const { cells } = await ask({ dimension: 'team' });
    const shown = cells.filter(({ suppressed }: { suppressed?: true }) => !suppressed);
    expect(shown.length).toBeGreaterThan(0);
    for (const cell of shown) expect(cell.median_cost_usd === null).toBe(cell.active_users < 10);
  });

  it('suppresses all of an organization of four, whatever it has been made to say, also when two more come late', async () => {
    const { orgId, freezeAfter, read } = await organization();
    await organizationRows(api.ctx).updateOne({ _id: orgId }, { $set: { k_anonymity: 1 } });
    const expectSuppressed = async () => {
      for (const dimension of Object.keys(VALUE)) {
        const answer = await read(dimension);
        expect([answer.k, answer.totals]).toEqual([K, { suppressed: true }]);
        expect(answer.trend).toEqual([{ start: '2026-04-06T00:00:00.000Z', suppressed: true }]);
        for (const cell of answer.cells) expect(Object.keys(cell)).toEqual(['key', 'suppressed']);
      }
    };
    await freezeAfter(people(4));
    await expectSuppressed();
    expect(await freezeAfter(people(2, 4))).toEqual({ frozen: 0, restated: 0 });
    await expectSuppressed();
    expect((await freezeAfter(people(3, 6))).restated).toBe(6);
    for (const dimension of Object.keys(VALUE))
      expect((await read(dimension)).totals, dimension).toMatchObject({ active_users: 9 });
  });

  it('judges a late part that was refused again only when k more users are late', async () => {
    const { freezeAfter } = await organization();
    const restated = async (...costs: number[]) =>
      (await freezeAfter(people(costs.length), (index) => ({ cost_usd: costs[index] }))).restated;
    await restated(1, 1, 1, 1, 1, 1);
    expect(await restated(1_000, 1, 1, 1, 1)).toBe(0);
    // By itself this part would do now, and so tell by when it is told how much the others were late with.
    expect(await restated(1, 500, 500, 500, 500)).toBe(0);
  });

  it('restates a week over the teams that it was frozen with', async () => {
    const { orgId, member, freezeAfter, read } = await organization();
    for (const [index, user_id] of people(12).entries())
      await member(user_id, { teams: [index % 2 ? 'blue' : 'red'] });
    const cells = async () =>
      (await read('team')).cells.map((cell: Record<string, number>) => [cell.active_users, cell.signals]);
    await freezeAfter(people(12));
    expect(await cells()).toEqual(Array(2).fill([6, 6]));
    await changeMember(api.ctx, orgId, 's0', { teams: ['blue'] });
    expect((await freezeAfter(people(12))).restated).toBeGreaterThan(0);
    expect(await cells()).toEqual(Array(2).fill([6, 12]));
  });

  it('follows a floor that was raised in weeks that are frozen from then on', async () => {
    const { orgId, call, freezeAfter, read } = await organization();
    await freezeAfter(people(6));
    expect((await read()).trend).toMatchObject([{ active_users: 6 }]);
    await changeOrganization(api.ctx, orgId, { k_anonymity: 7 });
    await call(people(6), inLaterWeek);
    clock.set(Date.parse('2026-04-21T00:00:00Z'));
    await freezeAfter();
    const raised = await read();
    clock.set(NOW);
    expect([raised.k, raised.totals.active_users]).toEqual([7, 6]);
    expect(raised.trend).toMatchObject([{ active_users: 6 }, { suppressed: true }]);
  });

  it('is pending until a day after the end of a week, and says so for the totals where no other week is asked', async () => {
    const { call, freezeAfter, read } = await organization();
    await call(people(6));
    await call(people(7), inLaterWeek);
    const readWeek = () => read('model', '2026-04-13');
    clock.set(Date.parse('2026-04-20T23:59:59.999Z'));
    await freezeAfter();
    const trend = [{ start: '2026-04-13T00:00:00.000Z', pending: true }];
    expect(await readWeek()).toMatchObject({ totals: { pending: true }, cells: [], trend });
    for (const dimension of Object.keys(VALUE)) {
      const both = await read(dimension, '2026-04-06');
      expect(both.totals, dimension).toMatchObject({ active_users: 6, hidden_weeks: 0 });
      expect(both.trend, dimension).toMatchObject([{ active_users: 6 }, ...trend]);
    }
    clock.set(Date.parse('2026-04-21T00:00:00Z'));
    expect((await readWeek()).trend).toEqual(trend);
    expect(await freezeAfter()).toMatchObject({ frozen: 1 });
    const after = await readWeek();
    clock.set(NOW);
    expect(after.totals).toMatchObject({ active_users: 7, hidden_weeks: 0 });
    expect(after.cells).toMatchObject([{ key: { model: 'gpt-4o-mini' }, signals: 7 }]);
  });

  it.each([
    [4, { suppressed: true }],
    [5, { active_users: 6, signals: 9 }],
  ])(
    'with members only, takes all others for one that does not count towards k: %i members',
    async (members, totals) => {
      const { member, freezeAfter, read } = await organization({ k_population: 'members' });
      for (const user_id of people(members)) await member(user_id);
      await freezeAfter(people(9));
      expect((await read()).totals).toMatchObject(totals);
    },
  );

  it('does not tell a week by what had more values in it than an answer may have, and tells the rest', async () => {
    const { orgId, call, read } = await organization();
    for (const project_id of ['p0', 'p1', 'p2']) await call(people(6), () => ({ project_id }));
    await freeze(orgId, { ...api.ctx, config: { ...api.ctx.config, maxGroups: 2 } });
    expect((await read('model')).totals).toMatchObject({ active_users: 6, signals: 18 });
    const suppressed = { totals: { suppressed: true }, cells: [], trend: [{ suppressed: true }] };
    expect(await read('project')).toMatchObject(suppressed);
  });

  it('has no filter by user, and takes whole closed weeks only', async () => {
    for (const query of [
      'user_id=u1',
      'dimension=user',
      'from=2026-03-17',
      'from=2026-03-16T00:00:00Z',
      'to=2026-04-20',
      'from=2026-04-13&to=2026-04-06',
      'from=2026-04-06&to=2026-04-06',
      'from=2024-01-01',
      'dimension=hour_of_week&from=2026-03-02',
    ]) {
      const answer = await send(`/api/v1/org/${own.orgId}/analytics?${query}`, undefined, { key: own.key });
      expect([answer.status, answer.body.code], query).toEqual([400, 'invalid_request']);
    }
  });
});
