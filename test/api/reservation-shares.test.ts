import { beforeEach, describe, expect, test } from 'vitest';
import type { BudgetInput } from '../../shared/core/limits/budgets/rules/input.ts';
import { nameOfUser } from '../../shared/core/limits/enforcement/state/budget-status.ts';
import { reservationKeys } from '../../shared/platform/redis/keys.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { WAYS_TO_RESERVE } from '../support/reserving.ts';

const HUNDRED_DOLLARS = { ...BUDGET, threshold: 100, window: 'monthly', enforce: 'hard' } as const;
const fx = await fixture({ clock: true, perTest: true });
const { ctx, clock } = fx;
const keyOf = (user: string) => fx.keyOf(user, ['budgets:check']);
let ada: string;
beforeEach(async () => {
  ada = await keyOf('ada');
});

/** Makes a budget that reservations know of. */
async function budget(change: Partial<BudgetInput> = {}): Promise<string> {
  const { id, threshold } = await fx.ask('/api/v1/budgets', { ...HUNDRED_DOLLARS, ...change });
  await until(async () => !(await allows(fx.key, threshold * 2)));
  return id;
}

const reserve = (key: string, estimate_usd: number) =>
  fx.send('/api/v1/budgets/reserve', { estimate_usd, ttl_s: 600 }, { key });
const allows = async (key: string, estimate_usd: number): Promise<boolean> =>
  (await reserve(key, estimate_usd)).body.allow;

describe('a share', () => {
  test('is a quarter of what is left, over all keys of a person; others have their own, unbound keys have none', async () => {
    const id = await budget();
    expect(await allows(ada, 20)).toBe(true);
    const second = await keyOf('ada');
    expect((await reserve(second, 5.000000001)).body).toMatchObject({
      reservation_id: null,
      refused_by: { id, name: null, cause: 'share' },
      reason:
        'This call and your open reservations are more than your share of a budget of your organization. Settle or release some.',
      budgets: [],
    });
    expect(await allows(second, 5)).toBe(true);
    expect(await allows(ada, 0.000000001)).toBe(false);
    expect(await allows(await keyOf('bob'), 25)).toBe(true);
    expect(await allows(fx.key, 50)).toBe(true);
    expect((await reserve(fx.key, 0.01)).body).toMatchObject({ refused_by: { id, cause: 'held' } });
    expect((await reserve(ada, 0.01)).body).toMatchObject({ refused_by: { id, cause: 'held' } });
  });

  test.each(Object.entries(WAYS_TO_RESERVE))(
    'limits a bound key by %s, and no unbound one, though that names its user',
    async (_way, reserveBy) => {
      await budget();
      const user_id = 'ada';
      expect(await reserveBy(fx.api, fx.key, { user_id, estimate_usd: 40 })).toMatch(/^res_/);
      expect(await reserveBy(fx.api, ada, { user_id, estimate_usd: 25.01 })).toBeNull();
      expect(await reserveBy(fx.api, ada, { user_id, estimate_usd: 25 })).toMatch(/^res_/);
      expect(await reserveBy(fx.api, fx.key, { user_id, estimate_usd: 35 })).toMatch(/^res_/);
    },
  );

  test('is the one that the budget names, at least a dollar, and all of a budget of that user', async () => {
    const id = await budget({ threshold: 2 });
    await budget({ scope: 'user', scope_id: 'ada', threshold: 2 });
    const { reservation_id } = (await reserve(ada, 1)).body;
    expect(reservation_id).toMatch(/^res_/);
    expect(await allows(ada, 0.01)).toBe(false);
    const share = { reservation_share_pct: 100 };
    const { body } = await fx.patch(`/api/v1/budgets/${id}`, share);
    expect(body).toMatchObject({ ...share, revision: 1 });
    await until(() => allows(ada, 1));
    expect(await allows(ada, 0.01)).toBe(false);
  });

  test('is of what usage leaves', async () => {
    await budget();
    await fx.spend({ user_id: 'bob', cost_usd: 60 });
    await until(async () => (await fx.ask('/api/v1/budgets/check', {})).budgets[0].remaining === 40);
    expect(await allows(ada, 10.01)).toBe(false);
    expect(await allows(ada, 10)).toBe(true);
  });

  test('is free again when what it holds is released', async () => {
    await budget();
    const { reservation_id } = (await reserve(ada, 25)).body;
    expect(await allows(ada, 25)).toBe(false);
    await fx.ask('/api/v1/budgets/release', { reservation_id }, { key: ada });
    expect(await allows(ada, 25)).toBe(true);
    expect(await allows(ada, 1)).toBe(false);
  });

  test('is never passed, nor left unused, by 64 clients with two keys of one person', async () => {
    await budget();
    const keys = [ada, await keyOf('ada')];
    let held = 0;
    const client = async (number: number) => {
      while (await allows(keys[number % 2] ?? '', 1)) held += 1;
    };
    await Promise.all(Array.from({ length: 64 }, (_, number) => client(number)));
    expect(held).toBe(25);
    expect(await allows(fx.key, 75)).toBe(true);
  });

  test('that is full is in the audit log once per person, budget and hour', async () => {
    const id = await budget();
    const entries = () => fx.audited('budget.share_reached');
    expect(await allows(ada, 24)).toBe(true);
    expect(await entries()).toEqual([]);
    for (let time = 0; time < 3; time += 1) expect(await allows(ada, 2)).toBe(false);
    await until(async () => (await entries()).length === 1);
    const [first] = await entries();
    const told = { budget_id: id, user_id: 'ada', held_usd: 24 };
    expect(first?.details).toEqual({ ...told, key_id: first?.actor });
    const second = await budget();
    for (const key of [ada, await keyOf('bob')]) expect(await allows(key, 26)).toBe(false);
    await until(async () => (await entries()).length === 4);
    const full = (await entries()).map(({ details }) => [details.user_id, details.budget_id].join(' '));
    const each = ['ada', 'bob'].flatMap((user) => [`${user} ${id}`, `${user} ${second}`]);
    expect(full.toSorted()).toEqual(each.toSorted());
    clock.advance(3_600_000);
    await until(async () => !(await allows(ada, 26)) && (await entries()).length === 6);
    expect(await allows(ada, 26)).toBe(false);
    expect(await entries()).toHaveLength(6);
    clock.set(Date.now());
  });
});

test('a person of a bound key has at most 2,500 open reservations', async () => {
  await budget();
  const { people } = reservationKeys(fx.orgId);
  expect(await allows(ada, 0.01)).toBe(true);
  const name = `/${nameOfUser(fx.orgId, 'ada')}`;
  expect(await ctx.redis.producer.hget(people, name)).toBe('1');
  await ctx.redis.producer.hset(people, name, 2_499);
  expect(await allows(ada, 0.01)).toBe(true);
  expect(await reserve(ada, 0.01)).toMatchObject({ status: 503, body: { code: 'overloaded' } });
  expect(await allows(await keyOf('bob'), 0.01)).toBe(true);
  expect(await allows(fx.key, 0.01)).toBe(true);
});
