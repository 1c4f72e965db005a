import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyDigest } from '../../../../shared/core/credits/meter/idempotency.ts';
import { readBalances } from '../../../../shared/core/credits/meter/read-balances.ts';
import { ledgerRows } from '../../../../shared/core/credits/model.ts';
import { accountKeys } from '../../../../shared/platform/redis/keys.ts';
import { openCredits } from '../../../support/credits.ts';
import { createTestClock } from '../../../support/harness.ts';

const clock = createTestClock();
const fx = await openCredits({ clock });
const { ctx } = fx;

describe('a spend', () => {
  test('is never dated before the one before it, though the clock goes back', async () => {
    const { token } = await fx.makeAccount();
    const spendAgain = async () => JSON.parse((await fx.spendOnce(token)).answer).created_at;
    const first = await spendAgain();
    clock.advance(-60_000);
    expect(await spendAgain()).toBe(first);
    clock.advance(60_000);
  });

  test('whose row cannot be found is 503 when it is repeated, and costs nothing', async () => {
    const { accountId, token } = await fx.makeAccount();
    const key = randomUUID();
    await fx.spendOnce(token, { key });
    await fx.projectAll();
    await ledgerRows(ctx).deleteOne({ account_id: accountId, reason: 'receipt' });
    const before = await fx.stateDigest();
    await expect(fx.spendOnce(token, { key })).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await fx.stateDigest()).toBe(before);
  });

  test('that is in the ledger leaves less than 200 bytes in Redis', async () => {
    const { accountId, token } = await fx.makeAccount();
    const spends = Array.from({ length: 200 }, () => randomUUID());
    await Promise.all(spends.map((key) => fx.spendSurely(token, key)));
    await fx.projectAll();
    const { record } = accountKeys(accountId);
    for (const key of spends) {
      const name = record(keyDigest(accountId, 'consume', key));
      expect(await ctx.redis.producer.memory('USAGE', name)).toBeLessThan(200);
    }
  });

  test.each([
    ['one call', 40, 1],
    ['calls of at most 64', 100, 2],
  ])('goes to Redis with all others of its turn, in %s', async (_, count, calls) => {
    const accounts = await Promise.all(Array.from({ length: count }, () => fx.makeAccount()));
    const spendAll = () => Promise.all(accounts.map(({ token }) => fx.spendOnce(token)));
    // From then on the api knows each account's bucket.
    await spendAll();
    await ctx.redis.producer.config('RESETSTAT');
    await spendAll();
    const stats = await ctx.redis.producer.info('commandstats');
    const callsOf = (command: string) =>
      Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1]);
    expect(callsOf('xadd')).toBe(count);
    expect(callsOf('evalsha')).toBe(calls);
  });

  test('has its own answer among all others of its turn', async () => {
    const accounts = await fx.makeAccountsApart(6);
    const [shut, broken, whole, used, repeated, foreign] = accounts.map(({ token }) => token);
    for (const { token } of accounts) await fx.spendOnce(token, { key: 'before' });
    await fx.projectAll();
    const keysOf = (at: number) => accountKeys(accounts[at]?.accountId ?? '');
    const opened = (await ctx.redis.producer.getdel(keysOf(0).epoch)) ?? '';
    await ctx.redis.producer.set(keysOf(1).stream, 'not a stream');
    const results = await Promise.allSettled([
      fx.spendOnce(shut ?? ''),
      fx.spendOnce(broken ?? ''),
      fx.spendOnce(whole ?? ''),
      fx.spendOnce(used ?? '', { key: 'before', output: 'another' }),
      fx.spendOnce(repeated ?? '', { key: 'before' }),
      // As another secret would be.
      fx.spendOnce(foreign ?? '', { pepper: 'another' }),
      fx.spendOnce(whole ?? ''),
    ]);
    await ctx.redis.producer.del(keysOf(1).stream);
    await ctx.redis.producer.set(keysOf(0).epoch, opened);
    const told = results.map((result) =>
      result.status === 'fulfilled' ? (result.value.replayed ?? false) : result.reason.code,
    );
    const refused = ['rebuilding', 'store_unavailable'];
    expect(told).toEqual([...refused, false, 'idempotency_key_reused', true, 'unauthorized', false]);
    const totals = accounts.map(async ({ accountId }) => (await readBalances(ctx, accountId)).total);
    expect(await Promise.all(totals)).toEqual([219, 219, 217, 219, 219, 219]);
  });
});
