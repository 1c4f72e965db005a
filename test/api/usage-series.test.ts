import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTenant } from '../support/factories.ts';
import { createTestClock, startApi, type TestApi } from '../support/harness.ts';
import { recordAll } from '../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const clock = createTestClock(NOW);
let api: TestApi;
let orgId: string;
let key: string;

beforeAll(async () => {
  api = await startApi({ clock });
  ({ orgId, key } = await makeTenant(api.ctx));
  await recordAll(api.ctx, orgId, [
    { ts: NOW, user_id: 'ada', project_id: 'a', cost_usd: 5 },
    { ts: NOW - DAY, user_id: 'ada', project_id: 'b', cost_usd: 3 },
    { ts: NOW - DAY, user_id: 'bob', project_id: 'c', cost_usd: 2 },
    { ts: NOW - DAY, user_id: 'cyd', project_id: 'd', cost_usd: 1 },
  ]);
});
afterAll(() => api.close());

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

it('gives the dearest groups a series each, and all others one together', async () => {
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
])('refuses %j', async (query) => {
  expect((await ask(query)).status).toBe(400);
});
