import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import {
  createApiKey,
  type NewApiKey,
  revokeApiKey,
  rotateApiKey,
} from '../../shared/core/accounts/keys/api-keys.ts';
import { reserveInBudgets } from '../../shared/core/limits/enforcement/reserve/reserve.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { releaseReservations } from '../../workers/index.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { callSurely, until } from '../support/harness.ts';
import { makePerson, type Person } from '../support/people.ts';

const fx = await fixture({ clock: true, idp: true, perTest: true });
const { api, ctx, idp, clock } = fx;

let admin: Person;
let thief: Person;
let budgetId: string;
beforeEach(async () => {
  clock.set(Date.now());
  [admin, thief] = [await fx.person(undefined, 'admin'), await fx.person()];
  budgetId = await makeBudget({ threshold: 100, window: 'monthly' });
  await until(async () => !(await allows(fx.key, 101)));
});

const makeBudget = async (fields: object): Promise<string> =>
  (await fx.ask('/api/v1/budgets', { ...BUDGET, enforce: 'hard', ...fields })).id;
const keyOf = ({ orgId, userId }: Person, more: Partial<NewApiKey> = {}) =>
  createApiKey(ctx, { org_id: orgId, scopes: ['budgets:check'], user_id: userId, ...more });
const reserve = (key: string, estimate_usd: number, more = {}) => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { estimate_usd, ttl_s: 3_600, ...more };
  return callSurely(() => api.call('/api/v1/budgets/reserve', { key, body, headers }));
};
const allows = async (key: string, estimate_usd: number) => (await reserve(key, estimate_usd)).body.allow;
const untilReserved = (usd: number) =>
  until(async () => (await fx.ask(`/api/v1/budgets/${budgetId}`)).reserved === usd);
const release = (person: Person, body: object, id = budgetId) =>
  fx.send(`/v1/budgets/${id}/release-reservations`, body, { key: person.session });
const entriesOf = (action: string) =>
  auditRows(ctx).find({ org_id: fx.orgId, action }).sort({ at: 1 }).toArray();

/** Reserves a dollar at a time until it is refused. Returns how many there were. */
async function hoard(key: string): Promise<number> {
  let held = 0;
  while (await allows(key, 1)) held += 1;
  return held;
}

const dueReleases = () => dueRows(ctx).find({ org_id: fx.orgId, kind: releaseReservations.kind }).toArray();

/** Does what a worker does about the rows that are due. */
async function runDue(): Promise<void> {
  for (const { key } of await dueReleases()) await releaseReservations.handle({ key }, ctx);
}

describe('a member who reserves all that there is', () => {
  test('gets a share; others go on, and an admin sees what is held, by whom, and ends it', async () => {
    const { key, key_id } = await keyOf(thief);
    expect(await hoard(key)).toBe(25);
    expect((await fx.ask('/api/v1/budgets/check', { estimate_usd: 75 })).allow).toBe(true);
    await untilReserved(25);
    await until(async () => (await entriesOf('budget.share_reached')).length === 1);
    const full = { budget_id: budgetId, user_id: thief.userId, key_id, held_usd: 25 };
    expect(await entriesOf('budget.share_reached')).toMatchObject([{ details: full }]);
    expect((await release(admin, { user_id: thief.userId })).body).toEqual({ released: 25 });
    await untilReserved(0);
    expect(await allows(fx.key, 100)).toBe(true);
    expect(await entriesOf('budget.release_reservations')).toMatchObject([
      { actor: admin.accountId, details: { budget_id: budgetId, user_id: thief.userId } },
    ]);
  });

  const anHour = () => new Date(clock.now() + 3_600_000);
  const rotated = async () => {
    const made = await keyOf(thief);
    await rotateApiKey(ctx, made.key_id, 3_600_000);
    return made;
  };
  test.each([
    ['a key', () => keyOf(thief)],
    ['a key that would have expired later', () => keyOf(thief, { expires_at: anHour() })],
    ['a rotated key that would have ended later', rotated],
  ])(
    'holds nothing any more when %s is revoked, though the process dies before it is released',
    async (_, make) => {
      const { key, key_id } = await make();
      expect(await hoard(key)).toBe(25);
      expect(await allows(fx.key, 50)).toBe(true);
      await revokeApiKey(ctx, key_id);
      await revokeApiKey(ctx, key_id);
      // Nothing of this process is left but the row that the transaction has written.
      expect(await dueReleases()).toHaveLength(1);
      await runDue();
      expect(await allows(fx.key, 50)).toBe(true);
      await runDue();
      expect(await dueReleases()).toHaveLength(1);
      clock.advance(2_000);
      await runDue();
      await runDue();
      expect(await dueReleases()).toEqual([]);
      expect((await entriesOf('budget.release_reservations')).map(({ details }) => details)).toEqual([
        { key_id, reservations_released: 25 },
      ]);
      await untilReserved(100);
    },
  );

  test('cannot keep what a process reserved that had not heard of the revocation', async () => {
    const { key, key_id } = await keyOf(thief);
    expect(await allows(key, 10)).toBe(true);
    await revokeApiKey(ctx, key_id);
    await runDue();
    const caller = { orgId: thief.orgId, userId: thief.userId, projectId: 'p' };
    const wish = { estimateNusd: 20e9, ttlS: 3_600, by: { keyId: key_id, isBound: true }, key: null };
    expect(await reserveInBudgets(ctx, caller, wish)).toMatchObject({ id: expect.any(String) });
    expect(await allows(fx.key, 90)).toBe(false);
    clock.advance(2_000);
    await runDue();
    expect(await allows(fx.key, 100)).toBe(true);
    expect(await dueReleases()).toEqual([]);
  });

  test('holds nothing any more when a rotated key ends, and not before', async () => {
    const { key, key_id } = await keyOf(thief);
    expect(await allows(key, 25)).toBe(true);
    const fresh = await rotateApiKey(ctx, key_id, 60_000);
    await runDue();
    expect(await allows(fresh.key, 1)).toBe(false);
    clock.advance(60_000);
    await runDue();
    expect(await allows(fresh.key, 25)).toBe(true);
    clock.advance(2_000);
    await runDue();
    expect(await allows(fresh.key, 1)).toBe(false);
    await untilReserved(25);
  });

  test('holds nothing any more when its key expires, rotated meanwhile or not, and not before', async () => {
    const expires_at = new Date(clock.now() + 60_000);
    const [expiring, rotated] = [await keyOf(thief, { expires_at }), await keyOf(thief, { expires_at })];
    await rotateApiKey(ctx, rotated.key_id, 3_600_000);
    expect([await allows(expiring.key, 12), await allows(rotated.key, 13)]).toEqual([true, true]);
    await runDue();
    await untilReserved(25);
    clock.advance(60_000);
    await runDue();
    await untilReserved(0);
  });

  test('holds nothing any more when removed, nor does a gateway for them', async () => {
    const { key } = await keyOf(thief);
    expect(await allows(key, 25)).toBe(true);
    expect((await reserve(fx.key, 30, { user_id: thief.userId })).body.allow).toBe(true);
    expect((await reserve(fx.key, 45, { user_id: 'somebody-else' })).body.allow).toBe(true);
    await removeMember(ctx, thief.orgId, thief.userId);
    await runDue();
    clock.advance(2_000);
    await runDue();
    await untilReserved(45);
    expect((await entriesOf('budget.release_reservations')).map(({ details }) => details)).toEqual([
      { user_id: thief.userId, reservations_released: 2 },
    ]);
    expect(await allows(fx.key, 55)).toBe(true);
  });
});

test('the reservations of a budget are ended by an admin alone: all, or those of a user or a key', async () => {
  const { key, key_id } = await keyOf(thief);
  const second = await keyOf(thief);
  for (const one of [key, second.key, fx.key]) expect(await allows(one, 1)).toBe(true);
  const other = await makePerson(ctx, idp, { role: 'admin' });
  const refused = [release(thief, {}), release(other, {}), release(admin, {}, 'bud_unknown')];
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 404, 404]);
  expect(await entriesOf('budget.release_reservations')).toEqual([]);
  for (const [which, released] of [
    [{ key_id: 'nobody' }, 0],
    [{ key_id, user_id: 'nobody' }, 0],
    [{ key_id }, 1],
    [{ key_id }, 0],
    [{}, 2],
  ] as const)
    expect((await release(admin, which)).body).toEqual({ released });
  await untilReserved(0);
});

test('what holds something in another budget alone is not released', async () => {
  const { key } = await keyOf(thief);
  const other = await makeBudget({ scope: 'project', scope_id: 'p' });
  await until(async () => (await fx.ask('/api/v1/budgets/check', { project_id: 'p' })).budgets.length === 2);
  expect(await allows(key, 5)).toBe(true);
  expect((await reserve(key, 1, { project_id: 'p' })).body.allow).toBe(true);
  expect((await release(admin, {}, other)).body).toEqual({ released: 1 });
  expect((await release(admin, {})).body).toEqual({ released: 1 });
});

test('thousands are released in steps, each of them once', async () => {
  const wish = { estimateNusd: 1, ttlS: 3_600, by: { keyId: 'gateway', isBound: false } };
  const caller = { orgId: fx.orgId, userId: null, projectId: 'p' };
  const reserveSurely = async () => {
    const key = { sender: 'gateway', key: randomUUID(), sent: {} };
    await until(() => reserveInBudgets(ctx, caller, { ...wish, key }).catch(() => null));
  };
  for (let made = 0; made < 3_000; made += 500) await Promise.all(Array.from({ length: 500 }, reserveSurely));
  const answers = await Promise.all([release(admin, {}), release(admin, { key_id: 'gateway' })]);
  expect(answers.reduce((sum, { body }) => sum + body.released, 0)).toBe(3_000);
  await untilReserved(0);
});
