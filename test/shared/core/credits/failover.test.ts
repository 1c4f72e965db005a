import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recoverCredits } from '../../../../shared/core/credits/ledger/open-shards.ts';
import { projectRound } from '../../../../shared/core/credits/ledger/project-ledger.ts';
import { reconcileCredits } from '../../../../shared/core/credits/ledger/reconcile.ts';
import { keyDigest } from '../../../../shared/core/credits/meter/idempotency.ts';
import { readBalances } from '../../../../shared/core/credits/meter/read-balances.ts';
import { ledgerRows } from '../../../../shared/core/credits/model.ts';
import { waitUntilReady } from '../../../../shared/platform/redis/connect.ts';
import { ALL_SHARDS, accountKeys, shardOf } from '../../../../shared/platform/redis/keys.ts';
import {
  copyFrom,
  expectReplayed,
  makeAccount,
  type OwnRedis,
  openCreditContext,
  projectAll,
  promote,
  spendOnce,
  startOwnRedis,
  stateDigest,
} from '../../../support/credits.ts';
import { openTestContext, type TestContext } from '../../../support/harness.ts';

let one: OwnRedis;
let two: OwnRedis;
const contexts: TestContext[] = [];

beforeEach(async () => {
  [one, two] = await Promise.all([startOwnRedis(), startOwnRedis()]);
});

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((ctx) => ctx.close()));
  await Promise.all([one.stop(), two.stop()]);
});

/** A context at `one`, of which `two` is a copy. */
async function openWithReplica(env: Record<string, string> = {}): Promise<TestContext> {
  await copyFrom(two, one);
  const ctx = await openCreditContext({ redisUrl: one.url, env });
  contexts.push(ctx);
  return ctx;
}

/** Another process at another Redis, on the same MongoDB. */
async function openAt(redis: OwnRedis, ctx: TestContext): Promise<TestContext> {
  const config = { ...ctx.config, redisUrl: redis.url };
  const other = await openTestContext({ sharing: { ...ctx, config } });
  contexts.push(other);
  await Promise.all([other.redis.meter, other.redis.producer].map((client) => waitUntilReady(client, 5_000)));
  return other;
}

async function spendKeys(ctx: TestContext, token: string, keys: readonly string[]): Promise<void> {
  for (const key of keys) await spendOnce(ctx, token, { key });
}

async function keysWithRow(ctx: TestContext, accountId: string): Promise<string[]> {
  const rows = await ledgerRows(ctx).find({ account_id: accountId, reason: 'receipt' }).toArray();
  return rows.map(({ idk }) => idk ?? '').sort();
}

test('a Redis that took over an older copy without a restart is shut, and rebuilt from the ledger', async () => {
  const ctx = await openWithReplica();
  const { accountId, token } = await makeAccount(ctx);
  await spendKeys(ctx, token, ['a0', 'a1', 'a2']);
  await projectAll(ctx);
  await promote(two);
  await spendKeys(ctx, token, ['b0', 'b1', 'b2', 'b3', 'b4']);
  await projectAll(ctx);
  const answer = (await spendOnce(ctx, token, { key: 'b0' })).answer;
  expect((await readBalances(ctx, accountId)).total).toBe(212);

  await copyFrom(one, two);
  await promote(one);
  await expect(spendOnce(ctx, token)).rejects.toMatchObject({ code: 'rebuilding' });
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 64 });
  expect((await readBalances(ctx, accountId)).total).toBe(212);
  expect(await spendOnce(ctx, token, { key: 'b0' })).toMatchObject({ answer, replayed: true });
  await spendOnce(ctx, token);
  await projectAll(ctx);
  await expectReplayed(ctx, accountId);
});

test('the ledger takes entries of the Redis that was opened last, and no entry of another is deleted', async () => {
  const atOne = await openWithReplica();
  const { accountId, token } = await makeAccount(atOne);
  await spendKeys(atOne, token, ['a0', 'a1', 'a2']);
  await projectAll(atOne);
  await promote(two);
  const atTwo = await openAt(two, atOne);
  await expect(spendOnce(atTwo, token)).rejects.toMatchObject({ code: 'rebuilding' });
  expect(await recoverCredits(atTwo)).toMatchObject({ opened: 64 });

  await spendKeys(atOne, token, ['one0', 'one1']);
  const round = await projectRound(atOne, ALL_SHARDS);
  expect([round.moved, [...round.stalled.keys()]]).toEqual([0, [shardOf(accountId)]]);
  await spendKeys(atTwo, token, ['two0', 'two1', 'two2', 'two3']);
  await projectAll(atTwo);

  const given = ['a0', 'a1', 'a2', 'two0', 'two1', 'two2', 'two3'].map((key) =>
    keyDigest(accountId, 'consume', key),
  );
  expect(await keysWithRow(atTwo, accountId)).toEqual(given.sort());
  await expectReplayed(atTwo, accountId);
  expect(await atOne.redis.producer.xlen(accountKeys(accountId).stream)).toBe(2);
  const receiptsAt = async (ctx: TestContext) =>
    (await reconcileCredits(ctx, { repair: false, records: true })).receipts_without_rows;
  expect(await receiptsAt(atOne)).toBe(2);
  expect(await receiptsAt(atTwo)).toBe(0);
});

describe('with REDIS_WAIT_REPLICAS', () => {
  test('a spend that no replica has is 504, also when it is repeated, until the replica has it', async () => {
    const ctx = await openWithReplica({ REDIS_WAIT_REPLICAS: '1' });
    const { accountId, token } = await makeAccount(ctx);
    await spendKeys(ctx, token, ['a0', 'a1']);
    process.kill(two.pid(), 'SIGSTOP');
    const unknown = { code: 'outcome_unknown' };
    await expect(spendOnce(ctx, token, { key: 'b0' })).rejects.toMatchObject(unknown);
    // Another connection repeats it: it has written nothing itself.
    const other = await openAt(one, ctx);
    await expect(spendOnce(other, token, { key: 'b0' })).rejects.toMatchObject(unknown);
    process.kill(two.pid(), 'SIGCONT');
    expect((await spendOnce(other, token, { key: 'b0' })).replayed).toBe(true);
    expect((await readBalances(ctx, accountId)).total).toBe(217);
  });

  test('spends side by side share a wait', async () => {
    const ctx = await openWithReplica({ REDIS_WAIT_REPLICAS: '1' });
    const { accountId, token } = await makeAccount(ctx);
    await spendOnce(ctx, token);
    const before = await waitsAt(one);
    await Promise.all(Array.from({ length: 50 }, () => spendOnce(ctx, token)));
    expect((await waitsAt(one)) - before).toBeLessThan(50);
    expect((await readBalances(ctx, accountId)).total).toBe(169);
  });
});

async function waitsAt(redis: OwnRedis): Promise<number> {
  const client = new Redis(redis.url);
  const stats = await client.info('commandstats');
  client.disconnect();
  return Number(/cmdstat_wait:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

test('with min-replicas-to-write a Redis without its replica refuses spends: 503, and nothing is written', async () => {
  const ctx = await openWithReplica();
  const { token } = await makeAccount(ctx);
  await spendOnce(ctx, token);
  const before = await stateDigest(ctx);
  await promote(two);
  await ctx.redis.producer.config('SET', 'min-replicas-to-write', '1');
  await expect(spendOnce(ctx, token)).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await stateDigest(ctx)).toBe(before);
});
