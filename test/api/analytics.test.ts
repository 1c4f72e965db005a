import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeOrganization } from '../../shared/administration/change-organization.ts';
import { addMember } from '../../shared/administration/members.ts';
import { type Contribution, suppressWeek } from '../../shared/analytics/suppress.ts';
import { makeTenant } from '../support/factories.ts';
import { createTestClock, startApi, type TestApi } from '../support/harness.ts';
import { pick, seeded } from '../support/random.ts';
import { recordAll } from '../support/usage.ts';

// A Wednesday; Berlin changes to summer time on 29 March.
const NOW = Date.parse('2026-04-15T12:07:00Z');
const HOUR = 3_600_000;
const SEED = 990_017;
const K = 5;
const clock = createTestClock(NOW);
const MONDAYS = [
  '2026-03-15T23:00',
  '2026-03-22T23:00',
  '2026-03-29T22:00',
  '2026-04-05T22:00',
  '2026-04-12T22:00',
].map((text) => `${text}:00.000Z`);
const EDGES = MONDAYS.map((text) => Date.parse(text));
const USERS = 14;
const TEAMS: Record<string, string[]> = {
  u0: ['red'],
  u1: ['red'],
  u2: ['red', 'blue'],
  u3: [],
  u4: ['blue'],
};
const teamsOf = (user: string) => TEAMS[user] ?? [Number(user.slice(1)) % 2 === 0 ? 'red' : 'blue'];

interface Call extends Record<string, unknown> {
  ts: number;
  user_id: string;
  project_id: string;
  model: string;
  adapter: string;
  tokens_in: number;
  tokens_out: number;
  cost_usd: number;
}

let api: TestApi;
let tenant: { orgId: string; key: string };
let calls: Call[];

beforeAll(async () => {
  api = await startApi({ clock });
  tenant = await makeTenant(api.ctx, { timezone: 'Europe/Berlin', scopes: ['org:read'] });
  for (let user = 0; user < USERS; user += 1) {
    const user_id = `u${user}`;
    const member = { org_id: tenant.orgId, email: `${user_id}@x.test`, role: 'member' as const, user_id };
    await addMember(api.ctx, { ...member, teams: teamsOf(user_id) });
  }
  const random = seeded(SEED);
  calls = Array.from({ length: 1_200 }, () => {
    const user = Math.floor(random() ** 1.3 * USERS);
    return {
      ts:
        (EDGES[0] ?? 0) +
        Math.floor((random() * ((EDGES[4] ?? 0) - (EDGES[0] ?? 0))) / (6 * HOUR)) * 6 * HOUR,
      user_id: `u${user}`,
      project_id: user === 13 ? 'lonely' : `p${Math.floor(user / 7)}`,
      model: user === 0 ? pick(random, ['rare', 'gpt-5']) : pick(random, ['gpt-5', 'gpt-4o-mini']),
      adapter: pick(random, ['codex', 'claude-code']),
      tokens_in: 1 + Math.floor(random() * 1_000 * (user === 5 ? 40 : 1)),
      tokens_out: 1 + Math.floor(random() * 100),
      cost_usd: Math.ceil(random() * 1e6) / 1e6,
    };
  });
  await recordAll(api.ctx, tenant.orgId, calls);
});
afterAll(() => api.close());

async function ask(query: Record<string, string>) {
  const path = `/api/v1/org/${tenant.orgId}/analytics?${new URLSearchParams(query).toString()}`;
  const answer = await api.call(path, { key: tenant.key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
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

/** The visible atoms of a week: what may be told of each value. */
function visible(dimension: string, week: number) {
  const of = calls.filter((call) => call.ts >= (EDGES[week] ?? 0) && call.ts < (EDGES[week + 1] ?? 0));
  const byValue = Map.groupBy(of, (call) => VALUE[dimension]?.(call) ?? null);
  const atoms = [...byValue].map(([value, those]) => ({
    value: String(value),
    contributions: contributionsOf(those),
  }));
  const verdict = suppressWeek(atoms, K);
  return { of, byValue, verdict };
}

function contributionsOf(those: Call[]): Contribution[] {
  return [...Map.groupBy(those, (call) => call.user_id)].map(([user, own]) => ({
    user,
    signals: own.length,
    tokens_in: own.reduce((sum, call) => sum + call.tokens_in, 0),
    tokens_out: own.reduce((sum, call) => sum + call.tokens_out, 0),
    cost_nusd: own.reduce((sum, call) => sum + Math.round(call.cost_usd * 1e9), 0),
  }));
}

describe('GET /api/v1/org/{orgId}/analytics', () => {
  it.each(Object.keys(VALUE))(
    'by %s answers, for every range of weeks, sums of visible week × value atoms and of nothing else',
    async (dimension) => {
      let [shown, hidden] = [0, 0];
      for (let from = 0; from < 4; from += 1) {
        for (let to = from + 1; to <= 4; to += 1) {
          const answer = await ask({ dimension, from: MONDAYS[from] ?? '', to: MONDAYS[to] ?? '' });
          const weeks = Array.from({ length: to - from }, (_, index) => visible(dimension, from + index));
          const where = `${dimension} ${from}..${to}, seed ${SEED}`;
          for (const cell of answer.cells) {
            const value = cell.key[dimension] as string | number | null;
            const those = weeks.filter(({ byValue }) => byValue.has(value));
            const open = those.filter(({ verdict }) => !verdict.hidden.has(String(value)));
            const inside = open.flatMap(({ byValue }) => byValue.get(value) ?? []);
            if (open.length === 0) {
              expect(cell, where).toEqual({ key: { [dimension]: value }, suppressed: true });
              hidden += 1;
              continue;
            }
            shown += 1;
            expect(cell, where).toMatchObject({
              active_users: new Set(inside.map((call) => call.user_id)).size,
              signals: inside.length,
              tokens_in: inside.reduce((sum, call) => sum + call.tokens_in, 0),
              hidden_weeks: those.length - open.length,
            });
          }
          if (dimension !== 'none') {
            const values = new Set(weeks.flatMap(({ byValue }) => [...byValue.keys()]));
            expect(answer.cells, where).toHaveLength(values.size);
          }
          expect(answer.totals.signals, where).toBe(weeks.flatMap(({ of }) => of).length);
          expect(
            answer.trend.map((week: { signals: number }) => week.signals),
            where,
          ).toEqual(weeks.map(({ of }) => of.length));
        }
      }
      if (dimension !== 'none') expect(shown, 'cells were shown').toBeGreaterThan(0);
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

  it('tells a median only of 2k users or more', async () => {
    const cells = (await ask({ dimension: 'team' })).cells.filter(
      (cell: { active_users?: number }) => cell.active_users,
    );
    expect(cells.length).toBeGreaterThan(0);
    for (const cell of cells) expect(cell.median_cost_usd === null).toBe(cell.active_users < 10);
  });

  it('suppresses all of an organization of four, and follows a floor that was raised', async () => {
    const small = await makeTenant(api.ctx);
    const week = Date.parse('2026-04-08T10:00:00Z');
    const people = (count: number) =>
      Array.from({ length: count }, (_, user) => ({ ts: week, user_id: `s${user}` }));
    const read = async (dimension: string) => {
      const path = `/api/v1/org/${small.orgId}/analytics?dimension=${dimension}&from=2026-04-06`;
      return (await api.call(path, { key: small.key })).body;
    };
    await recordAll(api.ctx, small.orgId, people(4));
    for (const dimension of Object.keys(VALUE)) {
      const answer = await read(dimension);
      expect(answer.totals).toEqual({ suppressed: true });
      expect(answer.trend).toEqual([{ start: '2026-04-06T00:00:00.000Z', suppressed: true }]);
      for (const cell of answer.cells) expect(Object.keys(cell)).toEqual(['key', 'suppressed']);
    }
    await recordAll(api.ctx, small.orgId, people(6).slice(4));
    expect((await read('model')).cells[0]).toMatchObject({ active_users: 6 });
    await changeOrganization(api.ctx, small.orgId, { k_anonymity: 7 });
    const raised = await read('model');
    expect([raised.k, raised.totals]).toEqual([7, { suppressed: true }]);
  });

  it('has no filter by user, and takes whole closed weeks only', async () => {
    for (const query of [
      'user_id=u1',
      'team=red',
      'group_by=user_id',
      'dimension=user',
      'from=2026-03-17',
      'from=2026-03-16T00:00:00Z',
      'to=2026-04-20',
      'from=2026-04-13&to=2026-04-06',
      'from=2026-04-06&to=2026-04-06',
      'from=2024-01-01',
      'dimension=hour_of_week&from=2026-03-02',
      'timezone=UTC',
    ]) {
      const answer = await api.call(`/api/v1/org/${tenant.orgId}/analytics?${query}`, { key: tenant.key });
      expect([answer.status, answer.body.code], query).toEqual([400, 'invalid_request']);
    }
  });

  it('needs org:read, Team or Enterprise; a foreign organization looks like none', async () => {
    const path = `/api/v1/org/${tenant.orgId}/analytics`;
    expect((await api.call(path)).status).toBe(401);
    const other = await makeTenant(api.ctx, { scopes: ['usage:read'] });
    expect((await api.call(path, { key: other.key })).body.code).toBe('missing_scope');
    const free = await makeTenant(api.ctx, { plan: 'free' });
    const own = await api.call(`/api/v1/org/${free.orgId}/analytics`, { key: free.key });
    expect([own.status, own.body.code]).toEqual([403, 'plan_required']);
    const foreign = await api.call(path, { key: free.key });
    const nowhere = await api.call('/api/v1/org/org_nowhere/analytics', { key: free.key });
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...nowhere.body, request_id: '' });
  });
});
