import { beforeAll, expect, it } from 'vitest';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const { send, record, tenant } = await fixture({ clock: NOW });

beforeAll(() =>
  record(
    { ts: NOW, user_id: 'ada', project_id: 'a', cost_usd: 5 },
    { ts: NOW - DAY, user_id: 'ada', project_id: 'b', cost_usd: 3 },
    { ts: NOW - DAY, user_id: 'bob', project_id: 'c', cost_usd: 2 },
    { ts: NOW - DAY, user_id: 'cyd', project_id: 'd', cost_usd: 1 },
  ),
);

function ask(query: Record<string, string>, path = 'usage', by: { key?: string } = {}) {
  const range = { from: '2026-04-09', to: '2026-04-11', interval: 'day' };
  const params = new URLSearchParams({ ...range, ...query }).toString();
  return send(`/api/v1/${path}?${params}`, undefined, by);
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

it('counts nobody in a bucket of whose calls none is left', async () => {
  const own = await tenant();
  await own.record(
    { id: 'kept', ts: NOW - DAY, user_id: 'ada' },
    { id: 'wrong', ts: NOW, user_id: 'ada' },
    { id: 'also-wrong', ts: NOW, user_id: 'bob' },
    { ts: NOW, user_id: 'cyd' },
  );
  const by = { key: own.key };
  for (const [user, signal] of Object.entries({ ada: 'wrong', bob: 'also-wrong' })) {
    const { body } = await send(`/api/v1/sessions?user_id=${user}`, undefined, by);
    const voiding = { signal_ids: [signal], reason: 'Wrong' };
    expect((await send(`/api/v1/sessions/${body.data[0].id}/void`, voiding, by)).status).toBe(200);
  }
  for (const series of ['groups', 'each']) {
    const { body } = await ask({ series, group_by: 'user_id' }, 'usage', by);
    expect(body.totals).toMatchObject({ signals: 2, active_users: 2 });
    expect(body.series.map((day: { active_users: number }) => day.active_users)).toEqual([1, 1]);
    expect(body.groups.map(({ key: of }: Shown) => of?.user_id).toSorted()).toEqual(['ada', 'cyd']);
  }
});

it('gives each team of an organization a series, and sums what several teams share once', async () => {
  const own = await tenant();
  for (const [user_id, teams] of Object.entries({ ada: ['red'], bob: ['red', 'blue'], cyd: ['green'] }))
    await own.member(user_id, { teams });
  await own.record(
    { ts: NOW, user_id: 'ada', cost_usd: 5 },
    { ts: NOW - DAY, user_id: 'bob', cost_usd: 3 },
    { ts: NOW, user_id: 'cyd', cost_usd: 1 },
    { ts: NOW, user_id: 'guest', cost_usd: 2 },
  );
  const askTeams = (query: Record<string, string>) =>
    ask({ group_by: 'team', ...query }, `org/${own.orgId}/usage`, own);
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
  for (const query of [
    { top: '3' },
    { series: 'groups', interval: 'none' },
    { series: 'groups', group_by: 'team,model' },
    { series: 'each', group_by: 'user_id,team,team' },
  ])
    expect((await askTeams(query as never)).status, JSON.stringify(query)).toBe(400);
});
