import { beforeEach, describe, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import type { BudgetInput } from '../../shared/core/limits/budgets/rules/input.ts';
import { nameOfUser } from '../../shared/core/limits/enforcement/state/budget-status.ts';
import { reservationKeys } from '../../shared/platform/redis/keys.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';

const HUNDRED_DOLLARS: BudgetInput = {
  name: 'Everybody',
  scope: 'org',
  metric: 'cost_usd',
  threshold: 100,
  window: 'monthly',
  enforce: 'hard',
};

const { clock, api } = await fixture({ clock: true });
let orgId: string;
let unbound: string;
let ada: string;
beforeEach(async () => {
  ({ orgId, key: unbound } = await makeTenant(api.ctx));
  ada = await keyOf('ada');
});

async function keyOf(user_id: string): Promise<string> {
  const { key } = await createApiKey(api.ctx, { org_id: orgId, scopes: ['budgets:check'], user_id });
  return key;
}

/** Makes a budget that reservations know of. */
async function budget(change: Partial<BudgetInput> = {}): Promise<string> {
  const made = await api.call('/api/v1/budgets', { key: unbound, body: { ...HUNDRED_DOLLARS, ...change } });
  expect(made.status).toBe(201);
  const { id, threshold } = made.body;
  await until(async () => {
    const { body } = await reserve(unbound, threshold * 2);
    return body.allow === false;
  });
  return id;
}

const reserve = (key: string, estimate_usd: number) =>
  api.call('/api/v1/budgets/reserve', { key, body: { estimate_usd, ttl_s: 600 } });
const allows = async (key: string, estimate_usd: number) => (await reserve(key, estimate_usd)).body.allow;

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
    expect(await allows(unbound, 50)).toBe(true);
    expect((await reserve(unbound, 0.01)).body).toMatchObject({ refused_by: { id, cause: 'held' } });
    expect((await reserve(ada, 0.01)).body).toMatchObject({ refused_by: { id, cause: 'held' } });
  });

  test('is the one that the budget names, at least a dollar, and all of a budget of that user', async () => {
    const id = await budget({ threshold: 2 });
    await budget({ scope: 'user', scope_id: 'ada', threshold: 2 });
    const { reservation_id } = (await reserve(ada, 1)).body;
    expect(reservation_id).toMatch(/^res_/);
    expect(await allows(ada, 0.01)).toBe(false);
    const path = `/api/v1/budgets/${id}`;
    const changed = await api.call(path, {
      method: 'PATCH',
      key: unbound,
      body: { reservation_share_pct: 100 },
    });
    expect(changed.body).toMatchObject({ reservation_share_pct: 100, revision: 1 });
    await until(() => allows(ada, 1));
    expect(await allows(ada, 0.01)).toBe(false);
  });

  test('is of what usage leaves', async () => {
    await budget();
    const signal = makeSignal({ ts: clock.now(), user_id: 'bob', cost_usd: 60 });
    expect((await api.call('/api/v1/signals', { key: unbound, body: signal })).status).toBe(200);
    await until(async () => {
      const { body } = await api.call('/api/v1/budgets/check', { key: unbound, body: {} });
      return body.budgets[0].remaining === 40;
    });
    expect(await allows(ada, 10.01)).toBe(false);
    expect(await allows(ada, 10)).toBe(true);
  });

  test('is free again when what it holds is released', async () => {
    await budget();
    const { reservation_id } = (await reserve(ada, 25)).body;
    expect(await allows(ada, 25)).toBe(false);
    const released = await api.call('/api/v1/budgets/release', { key: ada, body: { reservation_id } });
    expect(released.status).toBe(204);
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
    expect(await allows(unbound, 75)).toBe(true);
  });

  test('that is full is in the audit log once per person, budget and hour', async () => {
    const id = await budget();
    const entries = () =>
      auditRows(api.ctx).find({ org_id: orgId, action: 'budget.share_reached' }).sort({ at: 1 }).toArray();
    expect(await allows(ada, 24)).toBe(true);
    expect(await entries()).toEqual([]);
    for (let time = 0; time < 3; time += 1) expect(await allows(ada, 2)).toBe(false);
    await until(async () => (await entries()).length === 1);
    const [first] = await entries();
    expect(first?.details).toEqual({
      budget_id: id,
      user_id: 'ada',
      key_id: expect.any(String),
      held_usd: 24,
    });
    expect(first?.actor).toBe(first?.details.key_id);
    clock.advance(3_600_000);
    await until(async () => !(await allows(ada, 2)) && (await entries()).length === 2);
    expect(await allows(ada, 2)).toBe(false);
    expect(await entries()).toHaveLength(2);
    clock.set(Date.now());
  });
});

test('a person of a bound key has at most 2,500 open reservations', async () => {
  await budget();
  const { people } = reservationKeys(orgId);
  expect(await allows(ada, 0.01)).toBe(true);
  const name = `/${nameOfUser(orgId, 'ada')}`;
  expect(await api.ctx.redis.producer.hget(people, name)).toBe('1');
  await api.ctx.redis.producer.hset(people, name, 2_499);
  expect(await allows(ada, 0.01)).toBe(true);
  expect(await reserve(ada, 0.01)).toMatchObject({ status: 503, body: { code: 'overloaded' } });
  expect(await allows(await keyOf('bob'), 0.01)).toBe(true);
  expect(await allows(unbound, 0.01)).toBe(true);
});

test('a share is a whole number from 1 to 100', async () => {
  const post = (reservation_share_pct: unknown) =>
    api.call('/api/v1/budgets', { key: unbound, body: { ...HUNDRED_DOLLARS, reservation_share_pct } });
  for (const wrong of [0, 101, 12.5, '25', null]) expect((await post(wrong)).status).toBe(400);
  expect((await post(1)).body).toMatchObject({ reservation_share_pct: 1 });
});
