import { beforeAll, describe, expect, test } from 'vitest';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-18T10:20:00Z');
const DAY_MS = 86_400_000;
const { api, ask, clock, orgId, send, spend, tenant } = await fixture({ clock: NOW });
const DAY = { name: 'Day', scope: 'org', metric: 'cost_usd', threshold: 10, window: 'daily' };
let path: string;

beforeAll(async () => {
  await spend({ ts: NOW - DAY_MS, cost_usd: 3 });
  path = `/api/v1/budgets/${(await ask('/api/v1/budgets', DAY)).id}`;
  await spend({ cost_usd: 9 });
  await evaluateDue(api.ctx, orgId);
  clock.advance(1_000);
  await spend({ ts: NOW, cost_usd: 2 });
  await evaluateDue(api.ctx, orgId);
});

test('the events of a budget are the levels that it has reached, newest first, with their events', async () => {
  const body = await ask(`${path}/events`);
  const common = {
    user_id: null,
    revision: 1,
    window_start: '2026-11-18T00:00:00.000Z',
    window_end: '2026-11-19T00:00:00.000Z',
    event_id: expect.stringMatching(/^evt_/),
    reversed_at: null,
  };
  expect(body).toMatchObject({ total: 2, has_more: false });
  expect(body.data).toEqual([
    { ...common, level: 'exceeded', fired_at: new Date(NOW + 1_000).toISOString() },
    { ...common, level: 'warning', fired_at: new Date(NOW).toISOString() },
  ]);
});

test('its windows are what was used in each, newest first, in per cent of the present threshold', async () => {
  const { data } = await ask(`${path}/windows`);
  expect(data.slice(0, 2)).toEqual([
    { start: '2026-11-18T00:00:00.000Z', end: '2026-11-19T00:00:00.000Z', current: 11, utilization_pct: 110 },
    { start: '2026-11-17T00:00:00.000Z', end: '2026-11-18T00:00:00.000Z', current: 3, utilization_pct: 30 },
  ]);
  expect((await ask(`${path}/windows?limit=1`)).data).toHaveLength(1);
  expect((await send(`${path}/windows?limit=0`)).status).toBe(400);
});

describe('windows that are over', () => {
  /** A budget whose organization has spent 1, 2, 3, 4 and 5 dollars on the five days before today: all by Ada, of the team red. */
  async function makeUsed(scope: object = {}) {
    clock.set(NOW);
    const own = await tenant();
    const { key } = own;
    const join = (userId: string) => own.member(userId, { teams: ['red'] });
    await join('ada');
    const create = (fields: object) => ask('/api/v1/budgets', { ...DAY, ...fields }, { key });
    const { id } = await create(scope);
    const used = async () => {
      const { data } = await ask(`/api/v1/budgets/${id}/windows`, undefined, { key });
      return data.map(({ current }: { current: number }) => current);
    };
    const change = (fields: object) => ask(`/api/v1/budgets/${id}`, fields, { method: 'PATCH', key });
    for (const cost_usd of [1, 2, 3, 4, 5]) {
      await own.record({ ts: clock.now(), cost_usd });
      clock.advance(DAY_MS);
    }
    expect(await used()).toEqual([5, 4, 3, 2, 1]);
    return { create, used, change, join };
  }

  test('stay when the threshold changes, and when another budget counts the same', async () => {
    const { create, used, change } = await makeUsed();
    await change({ threshold: 20 });
    expect(await used()).toEqual([5, 4, 3, 2, 1]);
    await create({ metric: 'tokens' });
    expect(await used()).toEqual([5, 4, 3, 2, 1]);
  });

  test('stay when somebody joins the team that the budget is of', async () => {
    const { used, join } = await makeUsed({ scope: 'team', scope_id: 'red' });
    await join('bob');
    expect(await used()).toEqual([5, 4, 3, 2, 1]);
  });

  test('go when nobody counts days for a while: what is added meanwhile would be missing in them', async () => {
    const { used, change } = await makeUsed();
    await change({ window: 'weekly' });
    await change({ window: 'daily' });
    expect(await used()).toEqual([5, 4]);
  });
});
