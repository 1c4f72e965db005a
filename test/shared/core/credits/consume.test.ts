import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  accountOfToken,
  credentialHash,
  credentialId,
} from '../../../../shared/core/accounts/keys/credential.ts';
import { type Spent, spendCredit } from '../../../../shared/core/credits/ledger/spend.ts';
import { keyDigest } from '../../../../shared/core/credits/meter/idempotency.ts';
import { readBalances } from '../../../../shared/core/credits/meter/read-balances.ts';
import { ledgerRows } from '../../../../shared/core/credits/model.ts';
import { accountKeys } from '../../../../shared/platform/redis/keys.ts';
import {
  makeAccount,
  makeAccountsApart,
  openCreditContext,
  openCredits,
  projectAll,
  spendOnce,
  spendSurely,
  stateDigest,
} from '../../../support/credits.ts';
import { createTestClock } from '../../../support/harness.ts';

const { redis, ctx } = await openCredits();

describe('a spend', () => {
  test('is never dated before the one before it, though the clock goes back', async () => {
    const clock = createTestClock();
    const turned = await openCreditContext({ redisUrl: redis.url, clock });
    const { token } = await makeAccount(turned);
    const spendAgain = async () => JSON.parse((await spendOnce(turned, token)).answer).created_at;
    const first = await spendAgain();
    clock.advance(-60_000);
    expect(await spendAgain()).toBe(first);
    await turned.close();
  });

  test('whose row cannot be found is 503 when it is repeated, and costs nothing', async () => {
    const { accountId, token } = await makeAccount(ctx);
    const key = randomUUID();
    await spendOnce(ctx, token, { key });
    await projectAll(ctx);
    await ledgerRows(ctx).deleteOne({ account_id: accountId, reason: 'receipt' });
    const before = await stateDigest(ctx);
    await expect(spendOnce(ctx, token, { key })).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await stateDigest(ctx)).toBe(before);
  });

  test('that is in the ledger leaves less than 200 bytes in Redis', async () => {
    const { accountId, token } = await makeAccount(ctx);
    const spends = Array.from({ length: 200 }, () => randomUUID());
    await Promise.all(spends.map((key) => spendSurely(ctx, token, key)));
    await projectAll(ctx);
    const { record } = accountKeys(accountId);
    for (const key of spends) {
      const name = record(keyDigest(accountId, 'consume', key));
      expect(await ctx.redis.producer.memory('USAGE', name)).toBeLessThan(200);
    }
  });

  test('that Redis cannot write is 503 and fails none of those that are sent with it', async () => {
    const [broken, ...whole] = await Promise.all(Array.from({ length: 5 }, () => makeAccount(ctx)));
    const { stream } = accountKeys(broken?.accountId ?? '');
    await projectAll(ctx);
    await ctx.redis.producer.set(stream, 'not a stream');
    // Those of other shards: of this shard none can be written.
    const others = whole.filter(({ accountId }) => accountKeys(accountId).stream !== stream);
    const spends = [broken, ...others].map((account) => spendOnce(ctx, account?.token ?? ''));
    const results = await Promise.allSettled(spends);
    await ctx.redis.producer.del(stream);
    const [failed, ...rest] = results;
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'store_unavailable' } });
    expect(rest.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
    expect((await readBalances(ctx, broken?.accountId ?? '')).total).toBe(220);
    for (const { accountId } of others) expect((await readBalances(ctx, accountId)).total).toBe(219);
  });

  test.each([
    ['one call', 40, 1],
    ['calls of at most 64', 100, 2],
  ])('goes to Redis with all others of its turn, in %s', async (_, count, calls) => {
    const accounts = await Promise.all(Array.from({ length: count }, () => makeAccount(ctx)));
    const spendAll = () => Promise.all(accounts.map(({ token }) => spendOnce(ctx, token)));
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
    const accounts = await makeAccountsApart(ctx, 5);
    const [shut, whole, used, repeated, foreign] = accounts.map(({ token }) => token);
    for (const { token } of accounts) await spendOnce(ctx, token, { key: 'before' });
    const { epoch } = accountKeys(accounts[0]?.accountId ?? '');
    const opened = (await ctx.redis.producer.getdel(epoch)) ?? '';
    const results = await Promise.allSettled([
      spendOnce(ctx, shut ?? ''),
      spendOnce(ctx, whole ?? ''),
      spendOnce(ctx, used ?? '', { key: 'before', output: 'another' }),
      spendOnce(ctx, repeated ?? '', { key: 'before' }),
      spendWithWrongSecret(foreign ?? ''),
      spendOnce(ctx, whole ?? ''),
    ]);
    await ctx.redis.producer.set(epoch, opened);
    const told = results.map((result) =>
      result.status === 'fulfilled' ? (result.value.replayed ?? false) : result.reason.code,
    );
    expect(told).toEqual(['rebuilding', false, 'idempotency_key_reused', true, 'unauthorized', false]);
    const totals = accounts.map(async ({ accountId }) => (await readBalances(ctx, accountId)).total);
    expect(await Promise.all(totals)).toEqual([219, 217, 219, 219, 219]);
  });
});

function spendWithWrongSecret(token: string): Promise<Spent> {
  const tokenId = credentialId('ugd', token) ?? '';
  return spendCredit(ctx, {
    accountId: accountOfToken(tokenId),
    tokenId,
    tokenHmac: credentialHash(token, 'another pepper, as another secret would be'),
    idempotencyKey: 'k',
    outputSha256: 'ab'.repeat(32),
  });
}
