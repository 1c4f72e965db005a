import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { addMember } from '../../shared/people/members.ts';
import { BOUND_SCOPES, makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-18T10:20:00Z');
const DAY_MS = 86_400_000;
const { api, orgId, key, clock } = await fixture({ clock: NOW });
let path: string;

beforeAll(async () => {
  const spend = (ts: number, cost_usd: number) =>
    api.call('/api/v1/signals', { key, body: makeSignal({ ts, cost_usd }) });
  await spend(NOW - DAY_MS, 3);
  const body = { name: 'Day', scope: 'org', metric: 'cost_usd', threshold: 10, window: 'daily' };
  const made = await api.call('/api/v1/budgets', { key, body });
  path = `/api/v1/budgets/${made.body.id}`;
  await spend(NOW, 9);
  await evaluateDue(api.ctx, orgId);
  clock.advance(1_000);
  await spend(NOW, 2);
  await evaluateDue(api.ctx, orgId);
});

test('the events of a budget are the levels that it has reached, newest first, with their events', async () => {
  const { status, body } = await api.call(`${path}/events`, { key });
  expect(status).toBe(200);
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
  const first = await api.call(`${path}/events?limit=1&order=asc`, { key });
  const second = await api.call(`${path}/events?limit=1&order=asc&cursor=${first.body.cursor}`, { key });
  expect([first.body.data[0].level, second.body.data[0].level]).toEqual(['warning', 'exceeded']);
  expect((await api.call(`${path}/events?cursor=${first.body.cursor}`, { key })).status).toBe(400);
});

test('its windows are what was used in each, newest first, in per cent of the present threshold', async () => {
  const { body } = await api.call(`${path}/windows`, { key });
  expect(body.data.slice(0, 2)).toEqual([
    {
      start: '2026-11-18T00:00:00.000Z',
      end: '2026-11-19T00:00:00.000Z',
      current: 11,
      utilization_pct: 110,
    },
    { start: '2026-11-17T00:00:00.000Z', end: '2026-11-18T00:00:00.000Z', current: 3, utilization_pct: 30 },
  ]);
  expect((await api.call(`${path}/windows?limit=1`, { key })).body.data).toHaveLength(1);
  expect((await api.call(`${path}/windows?limit=0`, { key })).status).toBe(400);
});

describe('windows that are over', () => {
  const body = { name: 'Day', scope: 'org', metric: 'cost_usd', threshold: 10, window: 'daily' };

  /** A budget whose organization has spent 1, 2, 3, 4 and 5 dollars on the five days before today: all by Ada, of the team red. */
  async function makeUsed(scope: object = {}) {
    clock.set(NOW);
    const { orgId: org_id, key: own } = await makeTenant(api.ctx);
    const join = (user_id: string) =>
      addMember(api.ctx, {
        org_id,
        user_id,
        email: `${user_id}@example.com`,
        role: 'member',
        teams: ['red'],
      });
    await join('ada');
    const made = await api.call('/api/v1/budgets', { key: own, body: { ...body, ...scope } });
    const used = async () => {
      const { body: windows } = await api.call(`/api/v1/budgets/${made.body.id}/windows`, { key: own });
      return windows.data.map(({ current }: { current: number }) => current);
    };
    const change = (fields: object) =>
      api.call(`/api/v1/budgets/${made.body.id}`, { method: 'PATCH', key: own, body: fields });
    for (const cost_usd of [1, 2, 3, 4, 5]) {
      await api.call('/api/v1/signals', { key: own, body: makeSignal({ ts: clock.now(), cost_usd }) });
      clock.advance(DAY_MS);
    }
    expect(await used()).toEqual([5, 4, 3, 2, 1]);
    return { own, used, change, join };
  }

  test('stay when the threshold changes, and when another budget counts the same', async () => {
    const { own, used, change } = await makeUsed();
    await change({ threshold: 20 });
    expect(await used()).toEqual([5, 4, 3, 2, 1]);
    await api.call('/api/v1/budgets', { key: own, body: { ...body, metric: 'tokens' } });
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

test('neither is there for another organization, nor for a key of another user', async () => {
  const foreign = await makeTenant(api.ctx);
  const bound = await createApiKey(api.ctx, { org_id: orgId, scopes: [...BOUND_SCOPES], user_id: 'ada' });
  for (const as of [foreign.key, bound.key])
    for (const part of ['events', 'windows'])
      expect((await api.call(`${path}/${part}`, { key: as })).status).toBe(404);
});
