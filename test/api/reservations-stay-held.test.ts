import { beforeEach, describe, expect, test } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 30);
const DAY = 86_400_000;

const budget = {
  name: 'Everybody',
  scope: 'org',
  metric: 'cost_usd',
  threshold: 10,
  window: 'monthly',
  timezone: 'UTC',
  enforce: 'hard',
};

const { clock, api } = await fixture({ clock: NOW });
let orgId: string;
let key: string;
beforeEach(async () => {
  clock.set(NOW);
  ({ orgId, key } = await makeTenant(api.ctx));
});

async function makeBudget(fields: object = {}): Promise<string> {
  const made = await api.call('/api/v1/budgets', { key, body: { ...budget, ...fields } });
  expect(made.status).toBe(201);
  return made.body.id;
}

async function change(id: string, body: object): Promise<void> {
  const changed = await api.call(`/api/v1/budgets/${id}`, { method: 'PATCH', key, body });
  expect(changed.status).toBe(200);
}

const reserve = (fields: object = {}, as = key) =>
  api.call('/api/v1/budgets/reserve', {
    key: as,
    body: { user_id: 'ada', model: 'gpt-5', estimate_usd: 10, ttl_s: 600, ...fields },
  });
const read = async (id: string) => (await api.call(`/api/v1/budgets/${id}`, { key })).body;
const check = async (fields: object = {}) => {
  const body = { user_id: 'ada', model: 'gpt-5', ...fields };
  return (await api.call('/api/v1/budgets/check', { key, body })).body;
};
const release = async (reservation_id: string) => {
  const { status } = await api.call('/api/v1/budgets/release', { key, body: { reservation_id } });
  expect(status).toBe(204);
};

describe('a reservation in a hard budget is held over a change of', () => {
  test.each([
    ['the window', {}, { window: 'weekly' }],
    ['the window to a total', {}, { window: 'total' }],
    ['the window to days that move', {}, { window: 'rolling', rolling_days: 7 }],
    ['days that move to a month', { window: 'rolling', rolling_days: 7 }, { window: 'monthly' }],
    ['the first month of the year', { window: 'quarterly' }, { fiscal_start_month: 3 }],
    ['the first day of a total', { window: 'total' }, { starts_on: '2026-11-01' }],
    ['the timezone', {}, { timezone: 'Asia/Tokyo' }],
    ['the scope', {}, { scope: 'user', scope_id: 'ada' }],
    ['the filter', {}, { filter: { models: ['gpt-*'] } }],
    ['`per` to `user`', {}, { per: 'user' }],
    ['`per` to null', { per: 'user' }, { per: null }],
    ['`per` and the window', { per: 'user' }, { per: null, window: 'weekly' }],
  ])('%s', async (_what, before, after) => {
    const id = await makeBudget(before);
    const { reservation_id, allow } = (await reserve()).body;
    expect(allow).toBe(true);
    await change(id, after);
    expect((await reserve({ estimate_usd: 0.01 })).body).toMatchObject({
      allow: false,
      refused_by: { id, cause: 'held' },
    });
    expect(await check()).toMatchObject({ allow: true, budgets: [{ id, remaining: 0 }] });
    expect(await check({ estimate_usd: 0.01 })).toMatchObject({
      allow: false,
      refused_by: { cause: 'held' },
    });
    await release(reservation_id);
    expect((await reserve()).body.allow).toBe(true);
  });

  test('`enforce` to none and back', async () => {
    const id = await makeBudget();
    expect((await reserve()).body.allow).toBe(true);
    await change(id, { enforce: 'none' });
    expect((await reserve()).body.allow).toBe(true);
    await change(id, { enforce: 'hard' });
    expect((await reserve({ estimate_usd: 0.01 })).body.allow).toBe(false);
  });

  test('`per` to `user` and back, with reservations of both kinds', async () => {
    const id = await makeBudget();
    const first = (await reserve({ estimate_usd: 4 })).body.reservation_id;
    await change(id, { per: 'user' });
    expect((await reserve({ estimate_usd: 6.01 })).body.allow).toBe(false);
    const second = (await reserve({ estimate_usd: 6 })).body.reservation_id;
    expect((await reserve({ user_id: 'bob', estimate_usd: 6.01 })).body.allow).toBe(false);
    expect((await reserve({ user_id: 'bob', estimate_usd: 3 })).body.allow).toBe(true);
    await change(id, { per: null });
    expect(await read(id)).toMatchObject({ reserved: 13, current: 0 });
    await release(first);
    expect((await reserve({ estimate_usd: 1.01 })).body.allow).toBe(false);
    await release(second);
    expect((await reserve({ estimate_usd: 7 })).body.allow).toBe(true);
    expect((await reserve({ estimate_usd: 0.01 })).body.allow).toBe(false);
  });
});

describe('a reservation in a hard budget is held over the turn of', () => {
  test.each([
    ['an hour', { window: 'hourly' }, 3_600_000],
    ['a day', { window: 'daily' }, DAY],
    ['a week', { window: 'weekly' }, 7 * DAY],
    ['a month', { window: 'monthly' }, 30 * DAY],
    ['a quarter', { window: 'quarterly' }, 92 * DAY],
    ['a day of days that move', { window: 'rolling', rolling_days: 2 }, DAY],
    ["a person's month", { per: 'user' }, 30 * DAY],
  ])('%s, until it ends', async (_what, fields, ms) => {
    const id = await makeBudget(fields);
    const { window_start } = await read(id);
    const { reservation_id } = (await reserve()).body;
    clock.shift(ms);
    expect((await reserve({ estimate_usd: 0.01 })).body.allow).toBe(false);
    expect((await read(id)).window_start).not.toBe(window_start);
    await release(reservation_id);
    expect((await reserve()).body.allow).toBe(true);
  });

  test('a month by 32 clients: reported cost and open reservations stay below the threshold', async () => {
    await makeBudget();
    const clients = () => Promise.all(Array.from({ length: 32 }, () => reserve({ estimate_usd: 0.5 })));
    const before = (await clients()).filter(({ body }) => body.allow);
    clock.shift(30 * DAY);
    const after = (await clients()).filter(({ body }) => body.allow);
    expect(before.length + after.length).toBe(20);
  });
});

test('what a person holds of a share stays held over the turn of a month', async () => {
  await makeBudget({ threshold: 100 });
  const bound = await createApiKey(api.ctx, { org_id: orgId, scopes: ['budgets:check'], user_id: 'ada' });
  expect((await reserve({ estimate_usd: 25 }, bound.key)).body.allow).toBe(true);
  clock.shift(30 * DAY);
  expect((await reserve({ estimate_usd: 0.01 }, bound.key)).body).toMatchObject({
    refused_by: { cause: 'share' },
  });
});
