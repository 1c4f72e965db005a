import { afterEach, beforeEach, expect, test } from 'vitest';
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

const totalOf = async (ctx: TestContext, accountId: string) => (await readBalances(ctx, accountId)).total;

test('a Redis that took over an older copy without a restart is shut, and rebuilt from the ledger', async () => {
  const ctx = await openWithReplica();
  const { accountId, token } = await makeAccount(ctx);
  await spendKeys(ctx, token, ['a0', 'a1', 'a2']);
  await projectAll(ctx);
  await promote(two);
  await spendKeys(ctx, token, ['b0', 'b1', 'b2', 'b3', 'b4']);
  await projectAll(ctx);
  const { answer } = await spendOnce(ctx, token, { key: 'b0' });
  expect(await totalOf(ctx, accountId)).toBe(212);

  await copyFrom(one, two);
  await promote(one);
  await expect(spendOnce(ctx, token)).rejects.toMatchObject({ code: 'rebuilding' });
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 64 });
  expect(await totalOf(ctx, accountId)).toBe(212);
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

  const spends = ['a0', 'a1', 'a2', 'two0', 'two1', 'two2', 'two3'];
  const rows = await ledgerRows(atTwo).find({ account_id: accountId, reason: 'receipt' }).toArray();
  const given = spends.map((key) => keyDigest(accountId, 'consume', key));
  expect(rows.map(({ idk }) => String(idk)).toSorted()).toEqual(given.toSorted());
  await expectReplayed(atTwo, accountId);
  expect(await atOne.redis.producer.xlen(accountKeys(accountId).stream)).toBe(2);
  const receiptsAt = async (ctx: TestContext) =>
    (await reconcileCredits(ctx, { repair: false, records: true })).receipts_without_rows;
  expect(await receiptsAt(atOne)).toBe(2);
  expect(await receiptsAt(atTwo)).toBe(0);
});

test('with REDIS_WAIT_REPLICAS spends share a wait, and one that no replica has is 504, also when it is repeated, until the replica has it', async () => {
  const ctx = await openWithReplica({ REDIS_WAIT_REPLICAS: '1' });
  const { accountId, token } = await makeAccount(ctx);
  await spendOnce(ctx, token);
  const before = await waitsOf(ctx);
  await Promise.all(Array.from({ length: 50 }, () => spendOnce(ctx, token)));
  expect((await waitsOf(ctx)) - before).toBeLessThan(50);
  process.kill(two.pid(), 'SIGSTOP');
  const unknown = { code: 'outcome_unknown' };
  await expect(spendOnce(ctx, token, { key: 'b0' })).rejects.toMatchObject(unknown);
  // Another connection repeats it: it has written nothing itself.
  const other = await openAt(one, ctx);
  await expect(spendOnce(other, token, { key: 'b0' })).rejects.toMatchObject(unknown);
  process.kill(two.pid(), 'SIGCONT');
  expect((await spendOnce(other, token, { key: 'b0' })).replayed).toBe(true);
  expect(await totalOf(ctx, accountId)).toBe(168);
});

async function waitsOf({ redis }: TestContext): Promise<number> {
  const stats = await redis.producer.info('commandstats');
  return Number(/cmdstat_wait:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}
