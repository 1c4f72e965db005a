import { beforeAll, expect, it } from 'vitest';
import { addMember } from '../../shared/people/members.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { recordAll } from '../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const { api, orgId, key } = await fixture({ clock: NOW });

beforeAll(async () => {
  await recordAll(api.ctx, orgId, [
    { ts: NOW, user_id: 'ada', project_id: 'a', cost_usd: 5 },
    { ts: NOW - DAY, user_id: 'ada', project_id: 'b', cost_usd: 3 },
    { ts: NOW - DAY, user_id: 'bob', project_id: 'c', cost_usd: 2 },
    { ts: NOW - DAY, user_id: 'cyd', project_id: 'd', cost_usd: 1 },
  ]);
});

async function ask(query: Record<string, string>) {
  const range = { from: '2026-04-09', to: '2026-04-11', interval: 'day' };
  return api.call(`/api/v1/usage?${new URLSearchParams({ ...range, ...query }).toString()}`, { key });
}
interface Shown {
  key: Record<string, string> | null;
  cost_usd: number;
  series: { cost_usd: number }[];
}
const costs = ({ key: of, cost_usd, series }: Shown) => [of, cost_usd, series.map((day) => day.cost_usd)];

it('gives the most expensive groups a series each, and all others one together', async () => {
  const { status, body } = await ask({ series: 'groups', group_by: 'project_id', top: '2' });
  expect(status).toBe(200);
  expect(body.groups.map(costs)).toEqual([
    [{ project_id: 'a' }, 5, [0, 5]],
    [{ project_id: 'b' }, 3, [3, 0]],
    [null, 3, [3, 0]],
  ]);
  expect(body.totals).toMatchObject({ cost_usd: 11, active_users: 3 });
});

it('adds up to the same totals and the same series as without', async () => {
  const { body: plain } = await ask({ group_by: 'model' });
  const { body } = await ask({ series: 'groups', group_by: 'model' });
  const { active_users, ...totals } = body.totals;
  expect(active_users).toBe(3);
  expect(totals).toEqual(plain.totals);
  expect(body.series).toEqual(plain.series);
});

it('counts the users of a filter', async () => {
  const { body } = await ask({ series: 'groups', group_by: 'model', project_id: 'c' });
  expect(body.totals.active_users).toBe(1);
});

it.each([
  { series: 'groups' },
  { series: 'groups', group_by: 'model,user_id' },
  { series: 'groups', group_by: 'model', interval: 'none' },
  { series: 'groups', group_by: 'model', top: '21' },
  { group_by: 'model', top: '5' },
  { series: 'all', group_by: 'model' },
  { series: 'each' },
  { series: 'each', group_by: 'model', interval: 'none' },
  { group_by: 'user_id,model,adapter' },
])('refuses %j', async (query) => {
  expect((await ask(query)).status).toBe(400);
});

it('groups by each of several for itself, as if it were asked for alone', async () => {
  const names = ['user_id', 'project_id', 'model', 'adapter'];
  const { status, body } = await ask({ series: 'each', group_by: names.join(','), top: '2' });
  expect(status).toBe(200);
  for (const name of names) {
    const alone = await ask({ series: 'groups', group_by: name, top: '2' });
    const ofName = body.groups.filter((group: Shown) => group.key && name in group.key);
    const restNamed = alone.body.groups.map((group: Shown) => ({
      ...group,
      key: group.key ?? { [name]: null },
    }));
    expect(ofName).toEqual(restNamed);
    expect(body.totals).toEqual(alone.body.totals);
  }
});

it('says which groupings there are, and how many may be asked for', async () => {
  const detailOf = async (query: Record<string, string>) => {
    const { status, body } = await ask(query);
    expect(status).toBe(400);
    return JSON.stringify(body);
  };
  expect(await detailOf({ group_by: 'colour' })).toMatch(
    /must be one to 2, with series=each any number, of .*user_id, .*model.*, each once, separated by a comma/,
  );
  const three = 'user_id,model,project_id';
  const { body } = await ask({ group_by: three });
  expect(body.detail).toContain('has 3 names (user_id, model, project_id) and may have 2;');
  expect((await ask({ group_by: 'user_id,model', series: 'groups' })).body.detail).toContain(
    'may have 1 with series=groups; with series=each any number',
  );
});

it('counts the users of each bucket where they are grouped', async () => {
  const active = (body: { series: { active_users?: number }[] }) =>
    body.series.map((day) => day.active_users);
  expect(active((await ask({ series: 'groups', group_by: 'user_id', top: '1' })).body)).toEqual([3, 1]);
  expect(active((await ask({ series: 'each', group_by: 'model,user_id' })).body)).toEqual([3, 1]);
  expect(active((await ask({ series: 'groups', group_by: 'model' })).body)).toEqual([undefined, undefined]);
});

it('counts exactly what lies within a range that cuts its first and its last day', async () => {
  const hourMs = 3_600_000;
  const { orgId: cut, key: cutKey } = await makeTenant(api.ctx);
  await recordAll(
    api.ctx,
    cut,
    [-54, -52, -50, -30, -26, -4, -2, -1, 0].map((hours, at) => ({
      ts: NOW + hours * hourMs,
      user_id: `u${at % 4}`,
      cost_usd: 2 ** at,
    })),
  );
  for (const [fromHours, toHours] of [
    [-53, -3],
    [-51, -1.5],
    [-29, 0],
    [-3, -1.5],
  ] as const) {
    const range = {
      from: new Date(NOW + fromHours * hourMs).toISOString(),
      to: new Date(NOW + toHours * hourMs).toISOString(),
    };
    for (const interval of ['hour', 'day', 'month']) {
      const query = new URLSearchParams({ ...range, interval, group_by: 'user_id' });
      const { body: plain } = await api.call(`/api/v1/usage?${query.toString()}`, { key: cutKey });
      query.set('series', 'groups');
      const { body } = await api.call(`/api/v1/usage?${query.toString()}`, { key: cutKey });
      const { active_users, ...totals } = body.totals;
      expect(totals, `${interval} ${fromHours}`).toEqual(plain.totals);
      expect(active_users).toBe(plain.groups.length);
      const series = body.series.map(({ active_users: _, ...bucket }: Record<string, unknown>) => bucket);
      expect(series, `${interval} ${fromHours}`).toEqual(plain.series);
    }
  }
});

it('gives each team of an organization a series, and sums what several teams share once', async () => {
  const { orgId: org, key: own } = await makeTenant(api.ctx);
  for (const [user_id, teams] of Object.entries({ ada: ['red'], bob: ['red', 'blue'], cyd: ['green'] }))
    await addMember(api.ctx, { org_id: org, email: `${user_id}@x.test`, role: 'member', user_id, teams });
  await recordAll(api.ctx, org, [
    { ts: NOW, user_id: 'ada', cost_usd: 5 },
    { ts: NOW - DAY, user_id: 'bob', cost_usd: 3 },
    { ts: NOW, user_id: 'cyd', cost_usd: 1 },
    { ts: NOW, user_id: 'guest', cost_usd: 2 },
  ]);
  const range = { from: '2026-04-09', to: '2026-04-11', interval: 'day', group_by: 'team' };
  const askTeams = async (query: Record<string, string>) => {
    const params = new URLSearchParams({ ...range, ...query }).toString();
    return api.call(`/api/v1/org/${org}/usage?${params}`, { key: own });
  };
  const { status, text, body } = await askTeams({ series: 'groups' });
  expect(status, text).toBe(200);
  expect(body.groups.map(costs)).toEqual([
    [{ team: 'red' }, 8, [3, 5]],
    [{ team: 'blue' }, 3, [3, 0]],
    [{ team: null }, 2, [0, 2]],
    [{ team: 'green' }, 1, [0, 1]],
  ]);
  expect(body.totals).toMatchObject({ cost_usd: 11, signals: 4, active_users: 4 });
  expect(body.series.map((day: { cost_usd: number }) => day.cost_usd)).toEqual([3, 8]);
  const { body: top } = await askTeams({ series: 'groups', top: '1' });
  expect(top.groups.map(costs)).toEqual([
    [{ team: 'red' }, 8, [3, 5]],
    [null, 6, [3, 3]],
  ]);
  expect(top.totals).toEqual(body.totals);
  const names = ['user_id', 'model', 'team'];
  const { body: each } = await askTeams({ series: 'each', group_by: names.join(','), top: '2' });
  for (const name of names) {
    const { body: alone } = await askTeams({ series: 'groups', group_by: name, top: '2' });
    const ofName = each.groups.filter((group: Shown) => group.key && name in group.key);
    const restNamed = alone.groups.map((group: Shown) => ({ ...group, key: group.key ?? { [name]: null } }));
    expect(ofName).toEqual(restNamed);
  }
  // Those in no team are no rest.
  const { body: whole } = await askTeams({ series: 'each', group_by: 'user_id,team', top: '8' });
  expect(whole.groups.filter(({ rest }: { rest?: true }) => rest)).toEqual([]);
  expect(each.groups.filter(({ rest }: { rest?: true }) => rest)).toHaveLength(2);
  const { body: ofRed } = await askTeams({ series: 'groups', team: 'red', group_by: 'user_id' });
  expect(ofRed.groups.map(costs)).toEqual([
    [{ user_id: 'ada' }, 5, [0, 5]],
    [{ user_id: 'bob' }, 3, [3, 0]],
  ]);
  for (const query of [
    { top: '3' },
    { series: 'groups', interval: 'none' },
    { series: 'groups', group_by: 'team,model' },
    { series: 'each', group_by: 'user_id,team,team' },
  ])
    expect((await askTeams(query as never)).status, JSON.stringify(query)).toBe(400);
});
