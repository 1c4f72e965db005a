import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { planSettlements } from '../../shared/core/limits/enforcement/reserve/plan-settlements.ts';
import { callReservations } from '../../shared/core/limits/enforcement/state/call-reservations.ts';
import { settlementRows } from '../../shared/core/limits/enforcement/state/model.ts';
import { readStatuses } from '../../shared/core/limits/enforcement/state/read-status.ts';
import {
  openReservations,
  readReservationState,
} from '../../shared/core/limits/enforcement/state/reservation-state.ts';
import { commitPlan } from '../../shared/platform/context/commit-plan.ts';
import { reservationKeys } from '../../shared/platform/redis/keys.ts';
import { makeSignal } from '../support/factories.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { callSurely, until } from '../support/harness.ts';
import { WAYS_TO_RESERVE } from '../support/reserving.ts';

const TEN_DOLLARS = { ...BUDGET, window: 'monthly', enforce: 'hard' } as const;

const fx = await fixture({ other: true });
const { api, ctx, orgId, key, keyOf, tenant, ask, other, metric } = fx;

const post = (path: string, body: object, headers = {}) =>
  api.call(`/api/v1/budgets/${path}`, { key, body, headers });
const reserve = (user_id: string, estimate_usd: number, more: object = {}, headers = {}) =>
  post('reserve', { user_id, estimate_usd, ttl_s: 60, ...more }, headers);
const allows = async (user_id: string, estimate_usd: number): Promise<boolean> =>
  (await reserve(user_id, estimate_usd)).body.allow;
const release = (reservation_id: string) => post('release', { reservation_id });
const remaining = async (user_id: string) => (await post('check', { user_id })).body.budgets[0]?.remaining;
const budget = async (scope_id: string, fields: object = {}) => {
  const made = await ask('/api/v1/budgets', { ...TEN_DOLLARS, scope: 'user', scope_id, ...fields });
  await until(async () => {
    const { budgets } = (await post('check', { user_id: scope_id })).body;
    return budgets.some(({ id }: { id: string }) => id === made.id);
  });
  return made;
};
/** Posts a signal with a key. Returns its session. */
const report = async (user_id: string, fields: object, as = key) => {
  const signal = makeSignal({ ts: Date.now(), user_id, ...fields });
  const { results } = await ask('/api/v1/signals', signal, { key: as });
  expect(results).toMatchObject([{ status: 'accepted' }]);
  return results[0].session_id;
};
const countSettlements = () => settlementRows(ctx).countDocuments({ org_id: orgId });

/** Another organization with a budget of ten dollars, and its reservations. */
async function tenDollars(fields: object = {}) {
  const own = await tenant();
  await ask('/api/v1/budgets', { ...TEN_DOLLARS, ...fields }, own);
  const send = (estimate_usd: number, ttl_s = 60, headers = {}) =>
    api.call('/api/v1/budgets/reserve', { key: own.key, headers, body: { estimate_usd, ttl_s } });
  const fits = async (estimate_usd: number, ttl_s?: number): Promise<boolean> =>
    (await send(estimate_usd, ttl_s)).body.allow;
  const { state, held, reservations, ends, people } = reservationKeys(own.orgId);
  /** Its reservations are gone from Redis. */
  const empty = () => ctx.redis.meter.del(state, held, reservations, ends, people);
  const marks = ctx.db.connection.collection<{ _id: string; seq: number; held: string; epoch: string }>(
    'reservation_marks',
  );
  const mark = () => marks.findOne({ _id: own.orgId });
  return { ...own, send, fits, empty, marks, mark, ends };
}

describe('a reservation', () => {
  test('holds its estimate up to the threshold, in all budgets that the call counts in or in none', async () => {
    await budget('ada', { name: 'wide', threshold: 100 });
    const { id, window_end } = await budget('ada', { name: 'narrow' });
    const first = await reserve('ada', 6);
    expect(first.body).toEqual({ reservation_id: expect.stringMatching(/^res_/), allow: true });
    expect((await reserve('ada', 4.000000001)).body).toEqual({
      reservation_id: null,
      allow: false,
      reason: expect.stringContaining('"narrow"'),
      refused_by: { id, name: 'narrow', cause: 'held', resets_at: window_end },
      retry_at: window_end,
      budgets: [expect.objectContaining({ name: 'wide', refuses: false }), expect.objectContaining({ id })],
    });
    await until(async () => (await remaining('ada')) === 94);
    expect((await post('check', { user_id: 'ada', estimate_usd: 5 })).body).toMatchObject({ allow: false });
    expect((await reserve('ada', 4)).body).toMatchObject({ allow: true });
    expect((await reserve('ada', 0.000000001)).body).toMatchObject({ allow: false });
  });

  test('is refused when 250,000 of its organization are open, until one is gone', async () => {
    const { send, ends } = await tenDollars();
    const status = async () => (await send(1)).status;
    await until(async () => (await status()) === 200 && (await ctx.redis.meter.zcard(ends)) > 0);
    // In steps: one call that adds them all would outlast the time that a command may take.
    for (let first = 0; first < 250_000; first += 1_000) {
      const members = Array.from({ length: 1_000 }, (_, index) => ['9e15', first + index]);
      await ctx.redis.meter.zadd(ends, ...members.flat());
    }
    expect(await status()).toBe(503);
    await ctx.redis.meter.zremrangebyrank(ends, -10, -1);
    expect(await status()).toBe(200);
  });

  test('needs no budget, and no hard one', async () => {
    expect((await reserve('free', 900_000)).body).toMatchObject({ allow: true });
    await budget('soft', { enforce: 'soft' });
    expect((await reserve('soft', 900_000)).body).toMatchObject({ allow: true });
    await budget('counted', { metric: 'signals', threshold: 1 });
    expect((await reserve('counted', 900_000)).body).toMatchObject({ allow: true });
    await report('counted', {});
    await until(async () => (await remaining('counted')) === 0);
    expect((await reserve('counted', 1)).body).toMatchObject({ allow: false });
    await budget('counted', { threshold: 100 });
    expect((await reserve('counted', 1)).body).toMatchObject({ allow: false });
  });

  test('is released at once, and releasing again changes nothing', async () => {
    await budget('rel');
    const { reservation_id } = (await reserve('rel', 10)).body;
    expect(await allows('rel', 10)).toBe(false);
    for (let time = 0; time < 2; time += 1) expect((await release(reservation_id)).status).toBe(204);
    const again = (await reserve('rel', 10)).body;
    expect(again.allow).toBe(true);
    expect((await release(reservation_id)).status).toBe(204);
    expect(await allows('rel', 1)).toBe(false);
    expect((await release('res_unknown')).status).toBe(204);
  });

  test('ends by itself', async () => {
    await budget('ttl');
    expect((await reserve('ttl', 10, { ttl_s: 1 })).body.allow).toBe(true);
    expect(await allows('ttl', 10)).toBe(false);
    await until(async () => await allows('ttl', 10));
    expect(await allows('ttl', 1)).toBe(false);
  });

  test('is settled by a signal: the real cost replaces the estimate, exactly once', async () => {
    await budget('set');
    const { reservation_id } = (await reserve('set', 8)).body;
    await report('set', { cost_usd: 3, reservation_id });
    await until(async () => (await remaining('set')) === 7);
    const session = await report('set', { cost_usd: 1, reservation_id });
    await until(async () => (await remaining('set')) === 6);
    const { signals } = await ask(`/api/v1/sessions/${session}`);
    expect(signals).toMatchObject([{ reservation_id }, { reservation_id }]);
    expect(await allows('set', 6)).toBe(true);
    expect(await allows('set', 0.01)).toBe(false);
  });

  test('that is unknown settles nothing, and one of another organization neither', async () => {
    await budget('own');
    const { reservation_id } = (await reserve('own', 10)).body;
    const foreign = await tenant();
    for (const id of [reservation_id, 'res_unknown'])
      await report('own', { reservation_id: id }, foreign.key);
    await ask('/api/v1/budgets/release', { reservation_id }, foreign);
    await report('own', { cost_usd: 0, reservation_id: 'res_unknown' });
    await until(async () => (await countSettlements()) === 0);
    expect(await allows('own', 0.01)).toBe(false);
  });

  test('is settled by a bound key only where it is of the same user', async () => {
    const { id } = await budget('owner', { threshold: 100 });
    const { reservation_id } = (await reserve('owner', 50, { ttl_s: 600 })).body;
    const reportAs = async (user_id: string) => {
      await report(user_id, { cost_usd: 0, reservation_id }, await keyOf(user_id));
      await until(async () => (await countSettlements()) === 0);
    };
    const held = async () => (await ask(`/api/v1/budgets/${id}`)).reserved;
    await reportAs('mallory');
    expect(await allows('owner', 51)).toBe(false);
    await until(async () => (await held()) === 50);
    await reportAs('owner');
    await until(async () => (await held()) === 0);
    expect(await allows('owner', 100)).toBe(true);
  });

  test.each([
    ['before', [['mallory'], ['owned']]],
    ['in the same write before', [['mallory', 'owned']]],
    ['in the same write after', [['owned', 'mallory']]],
  ])('is settled by its user although another names it too, %s', async (_, writes) => {
    const { id } = await budget('owned');
    const { reservation_id } = (await reserve('owned', 10, { ttl_s: 600 })).body;
    const held = async () => (await ask(`/api/v1/budgets/${id}`)).reserved;
    await until(async () => (await held()) === 10);
    for (const users of writes) {
      const signals = users.map((user_id) => ({ user_id, reservation_id, settles_own: true as const }));
      await commitPlan(ctx, async (transaction) => {
        await readOrganization(ctx, orgId, transaction);
        return { writes: planSettlements(orgId, signals, Date.now()), result: undefined };
      });
    }
    await until(async () => (await held()) === 0);
    await ask(`/api/v1/budgets/${id}`, undefined, { method: 'DELETE' });
  });

  test('is held once per Idempotency-Key, however often it is asked for; a refusal is asked for again', async () => {
    await budget('idem');
    const headers = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => reserve('idem', 6, {}, headers)));
    const [id, ...others] = new Set<string>(answers.map(({ body }) => body.reservation_id));
    expect(others).toEqual([]);
    await until(async () => (await remaining('idem')) === 4);
    const refused = { 'Idempotency-Key': randomUUID() };
    expect((await reserve('idem', 6, {}, refused)).body.allow).toBe(false);
    await release(id ?? '');
    expect((await reserve('idem', 6, {}, refused)).body.allow).toBe(true);
  });

  test.each([
    { estimate_usd: 1, model: 'gpt-5', provider: 'openai', adapter: 'codex' },
    { tokens_in: 1_000, tokens_out: 1_000, model: 'gpt-5', provider: 'openai', adapter: 'codex' },
  ])('is of another request than any that differs from it in one field: %j', async (size) => {
    const own = await tenDollars();
    const request = { ...size, user_id: 'ada', project_id: 'checkout', ttl_s: 60 };
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = (body: object) => api.call('/api/v1/budgets/reserve', { key: own.key, headers, body });
    const { reservation_id } = (await send(request)).body;
    const PRICED: Record<string, string> = { model: 'gpt-4o', provider: 'azure' };
    for (const [field, value] of Object.entries(request)) {
      const differs = typeof value === 'number' ? value + 1 : (PRICED[field] ?? `${value}-2`);
      expect((await send({ ...request, [field]: differs })).status, field).toBe(422);
    }
    expect((await send(request)).body).toEqual({ reservation_id, allow: true });
  });

  test.each(Object.entries(WAYS_TO_RESERVE))(
    'by %s with one idempotency key is one of each API key, which a repeat with that key gets again',
    async (way, reserveBy) => {
      const user_id = `of two keys by ${way}`;
      await budget(user_id);
      const second = await keyOf(null, ['budgets:check']);
      const idempotency_key = randomUUID();
      const ids: (string | null)[] = [];
      for (const as of [key, second, key, second]) {
        const estimate_usd = as === key ? 4 : 5;
        ids.push(await reserveBy(api, as, { user_id, estimate_usd, idempotency_key }));
      }
      expect(ids.slice(2)).toEqual(ids.slice(0, 2));
      expect(new Set(ids).size).toBe(2);
      expect(await allows(user_id, 1.01)).toBe(false);
      expect(await allows(user_id, 1)).toBe(true);
    },
  );

  test('leaves nothing in Redis without an end but the keys of its organization, and its record no longer than itself', async () => {
    const own = await tenDollars();
    const headers = { 'Idempotency-Key': randomUUID() };
    await until(async () => (await own.send(1, 60, headers)).status === 200);
    const redis = ctx.redis.meter;
    const { state, held, reservations, ends, people, replicated } = reservationKeys(own.orgId);
    const lasting = new Set([state, held, reservations, ends, people, replicated]);
    const found = await redis.keys(`{${own.orgId}}*`);
    const [record = '', ...others] = found.filter((name) => !lasting.has(name));
    expect(others).toEqual([]);
    const leftMs = await redis.pttl(record);
    expect([leftMs > 0, leftMs <= 60_000], String(leftMs)).toEqual([true, true]);
  });

  test('that was released is not what a repeat with its key is answered: that holds its own, or is refused', async () => {
    await budget('again');
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await reserve('again', 6, {}, headers);
    await release(first.body.reservation_id);
    const second = await reserve('again', 6, {}, headers);
    expect(second.body.reservation_id).not.toBe(first.body.reservation_id);
    expect(await allows('again', 6)).toBe(false);
    await release(second.body.reservation_id);
    expect(await allows('again', 6)).toBe(true);
    expect((await reserve('again', 6, {}, headers)).body.allow).toBe(false);
  });

  test('names what it costs', async () => {
    expect((await post('reserve', { user_id: 'x', ttl_s: 60 })).status).toBe(400);
  });
});

test('many that end at once are looked at some at a time, and hold nothing in the end', async () => {
  const { orgId: many } = await tenant();
  await openReservations(ctx, many, await readReservationState(ctx, many));
  const { held, reservations, ends } = reservationKeys(many);
  const make = async (name: string, count: number, endMs: number) => {
    const ids = Array.from({ length: count }, (_, index) => `res_${name}${index}`);
    await ctx.redis.producer.hset(reservations, ...ids.flatMap((id) => [id, '10||key||bud:1']));
    await ctx.redis.producer.zadd(ends, ...ids.flatMap((id) => [endMs, id]));
  };
  const lastMs = Date.now() + 60_000;
  await make('ended', 8_000, 1);
  await make('open', 101, lastMs);
  await ctx.redis.producer.hset(held, 'bud:1', 81_010);
  const openNow = async () => (await callReservations(ctx, 'settle', many, [0])).values.slice(2);
  expect(await openNow()).toEqual([`${lastMs} bud:1 11010`]);
  await until(async () => (await openNow())[0]?.endsWith(' 1010'));
  // Each look forgets some; in the end only the open ones are held.
  await until(async () => (await openNow()) && (await ctx.redis.producer.hget(held, 'bud:1')) === '1010');
});

test.each([1, 1_000, 1_001, 2_001])(
  'one of %i that have ended goes on counting until amounts were read after its own end',
  async (count) => {
    const { orgId: many } = await tenant();
    const found = await readReservationState(ctx, many);
    await openReservations(ctx, many, found);
    const { held, reservations, ends } = reservationKeys(many);
    const ids = Array.from({ length: count }, (_, index) => `res_${index}`);
    await ctx.redis.producer.hset(reservations, ...ids.flatMap((id) => [id, '10||key||bud:1']));
    await ctx.redis.producer.hset(held, 'bud:1', 10 * count);
    await ctx.redis.producer.zadd(ends, ...ids.flatMap((id) => [1, id]));
    /** Asks for all that the last one leaves and so much more, by amounts that were read a millisecond before that one ended. */
    const reserve = async (more: number) => {
      const { redisMs } = await readReservationState(ctx, many);
      await ctx.redis.producer.zadd(ends, redisMs, ids.at(-1) ?? '');
      const by = ['key', '', ''];
      const budget = ['bud:1', 'bud:1:beside', '', 100, ''];
      const wish = [90 + more, 60_000, `res_more${more}`, '', 'last'];
      const args = [found.identity, redisMs - 1, 0, ...wish, ...by, ...budget];
      return (await callReservations(ctx, 'reserve', many, args)).code;
    };
    // Amounts that are more than a second old decide nothing.
    const decided = (more: number) =>
      until(async () => [await reserve(more)].find((code) => code !== 'stale'));
    expect([await decided(1), await decided(0)]).toEqual(['refused', 'reserved']);
  },
);

test('of an organization whose first budget was made a moment ago is released', async () => {
  const own = await tenant();
  const { reservation_id } = await ask('/api/v1/budgets/reserve', { estimate_usd: 1, ttl_s: 60 }, own);
  await ask('/api/v1/budgets', TEN_DOLLARS, own);
  await ask('/api/v1/budgets/release', { reservation_id }, own);
});

test('however many settlements one organization has, those of another are read', async () => {
  const tenants = await Promise.all([tenant(), tenant()]);
  // Not by the api: it would remember the organizations, and read their settlements meanwhile.
  for (const own of tenants) await own.budget(TEN_DOLLARS);
  const ids = tenants.map((own) => own.orgId).toSorted();
  const [many = '', few = ''] = ids;
  const settled = (org_id: string, count: number) =>
    Array.from({ length: count }, (_, number) => ({
      _id: `${org_id}/${number}`,
      org_id,
      reservation_id: `res_${number}`,
      settled_at: new Date(),
    }));
  await settlementRows(ctx).insertMany([...settled(many, 5_001), ...settled(few, 1)]);
  const snapshots = await readStatuses(ctx, new Map([many, few].map((id) => [id, null])));
  expect(snapshots.get(few)?.settlements).toHaveLength(1);
  expect(snapshots.get(many)?.settlements).toHaveLength(5_000);
});

describe('an emptied Redis', () => {
  test('does not count what was released, or had ended, before', async () => {
    const { key: own, send, fits, empty, mark } = await tenDollars();
    const recorded = (usd: number[]) =>
      until(async () => {
        const texts = (await mark())?.held.split(' ') ?? [];
        const amounts = texts.filter((_, index) => index % 3 === 2).map((text) => Number(text) / 1e9);
        return JSON.stringify(amounts.toSorted((a, b) => a - b)) === JSON.stringify(usd);
      });
    expect(await fits(2, 3_600)).toBe(true);
    const { reservation_id } = (await send(4, 3_600)).body;
    expect(await fits(3, 2)).toBe(true);
    await recorded([2, 3, 4]);
    await ask('/api/v1/budgets/release', { reservation_id }, { key: own });
    await recorded([2]);
    await empty();
    expect(await fits(9, 3_600)).toBe(false);
    expect(await fits(8, 3_600)).toBe(true);
    expect(await metric('governor_reservations_unsettled_total')).toBeGreaterThan(0);
  });

  test('goes on counting what was open, each until its own time is over', async () => {
    const { fits, empty, mark } = await tenDollars();
    expect([await fits(2, 3_600), await fits(7, 4)]).toEqual([true, true]);
    await until(async () => (await mark())?.held.split(' ').length === 6);
    await empty();
    expect([await fits(2, 1), await fits(1, 1)], '1 is left').toEqual([false, true]);
    await until(async () => fits(7, 1));
    expect(await fits(9, 1)).toBe(false);
  });
});

test('a Redis that another one has displaced takes no reservations', async () => {
  const { orgId: org, send, fits, marks } = await tenDollars();
  expect(await fits(1)).toBe(true);
  await marks.updateOne({ _id: org }, { $set: { epoch: 'of another Redis' } });
  await until(async () => (await send(1)).status === 503);
  expect((await send(1)).body.code).toBe('rebuilding');
});

test('128 clients of two processes never reserve more than the threshold, nor less', async () => {
  const { key: own } = await tenDollars({ threshold: 100 });
  let allowed = 0;
  const client = async (number: number) => {
    const on = number % 2 === 0 ? api : other;
    const user_id = `u${number % 4}`;
    const send = (path: string, body: object) => {
      const headers = { 'Idempotency-Key': randomUUID() };
      return callSurely(() => on.call(`/api/v1/${path}`, { key: own, headers, body }));
    };
    for (;;) {
      const { allow, reservation_id } = (
        await send('budgets/reserve', { user_id, estimate_usd: 1, ttl_s: 600 })
      ).body;
      if (!allow) return;
      allowed += 1;
      const signal = makeSignal({ ts: Date.now(), user_id, cost_usd: 1, reservation_id });
      expect((await send('signals', signal)).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: 128 }, (_, number) => client(number)));
  expect(allowed).toBe(100);
});
