import { describe, expect, test } from 'vitest';
import { BUDGET, fixture } from '../support/fixture.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 30);
const DAY = 86_400_000;

const fx = await fixture({ clock: NOW, perTest: true });
const { clock, ask } = fx;

const makeBudget = async (fields: object = {}): Promise<string> =>
  (await ask('/api/v1/budgets', { ...BUDGET, window: 'monthly', enforce: 'hard', ...fields })).id;
const change = (id: string, body: object) => ask(`/api/v1/budgets/${id}`, body, { method: 'PATCH' });
const CALL = { user_id: 'ada', model: 'gpt-5' };
const reserve = (fields: object = {}, by: { key?: string } = {}) =>
  ask('/api/v1/budgets/reserve', { ...CALL, estimate_usd: 10, ttl_s: 600, ...fields }, by);
const allows = async (estimate_usd = 10, fields: object = {}): Promise<boolean> =>
  (await reserve({ estimate_usd, ...fields })).allow;
const read = (id: string) => ask(`/api/v1/budgets/${id}`);
const check = (fields: object = {}) => ask('/api/v1/budgets/check', { ...CALL, ...fields });
const release = (reservation_id: string) => ask('/api/v1/budgets/release', { reservation_id });

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
    const { reservation_id, allow } = await reserve();
    expect(allow).toBe(true);
    await change(id, after);
    const refused = { allow: false, refused_by: { id, cause: 'held' } };
    expect(await reserve({ estimate_usd: 0.01 })).toMatchObject(refused);
    expect(await check()).toMatchObject({ allow: true, budgets: [{ id, remaining: 0 }] });
    expect(await check({ estimate_usd: 0.01 })).toMatchObject(refused);
    await release(reservation_id);
    expect(await allows()).toBe(true);
  });

  test('`enforce` to none and back', async () => {
    const id = await makeBudget();
    expect(await allows()).toBe(true);
    await change(id, { enforce: 'none' });
    expect(await allows()).toBe(true);
    await change(id, { enforce: 'hard' });
    expect(await allows(0.01)).toBe(false);
  });

  test('`per` to `user` and back, with reservations of both kinds', async () => {
    const id = await makeBudget();
    const first = (await reserve({ estimate_usd: 4 })).reservation_id;
    await change(id, { per: 'user' });
    expect(await allows(6.01)).toBe(false);
    const second = (await reserve({ estimate_usd: 6 })).reservation_id;
    expect(await allows(6.01, { user_id: 'bob' })).toBe(false);
    expect(await allows(3, { user_id: 'bob' })).toBe(true);
    await change(id, { per: null });
    expect(await read(id)).toMatchObject({ reserved: 13, current: 0 });
    await release(first);
    expect(await allows(1.01)).toBe(false);
    await release(second);
    expect(await allows(7)).toBe(true);
    expect(await allows(0.01)).toBe(false);
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
    const { reservation_id } = await reserve();
    clock.shift(ms);
    expect(await allows(0.01)).toBe(false);
    expect((await read(id)).window_start).not.toBe(window_start);
    await release(reservation_id);
    expect(await allows()).toBe(true);
  });
});

test('what a person holds of a share stays held over the turn of a month', async () => {
  await makeBudget({ threshold: 100 });
  const bound = { key: await fx.keyOf('ada', ['budgets:check']) };
  expect((await reserve({ estimate_usd: 25 }, bound)).allow).toBe(true);
  clock.shift(30 * DAY);
  expect(await reserve({ estimate_usd: 0.01 }, bound)).toMatchObject({ refused_by: { cause: 'share' } });
});
