import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fenceId } from '../../../../shared/core/credits/ledger/fence.ts';
import { rebuildCredits, recoverCredits } from '../../../../shared/core/credits/ledger/open-shards.ts';
import { reconcileCredits } from '../../../../shared/core/credits/ledger/reconcile.ts';
import { readAccount, revokeDeviceAccess } from '../../../../shared/core/credits/meter/account-record.ts';
import { changeCredits } from '../../../../shared/core/credits/meter/change-credits.ts';
import {
  findPausedShards,
  holdShard,
  readShardStates,
  releaseShard,
} from '../../../../shared/core/credits/meter/shards.ts';
import { deviceTokenRows, ledgerFenceRows, ledgerRows } from '../../../../shared/core/credits/model.ts';
import { ALL_SHARDS, accountKeys, shardKeys, shardOf } from '../../../../shared/platform/redis/keys.ts';
import { reconcileCredits as reconcileJob } from '../../../../workers/index.ts';
import {
  addDevice,
  expectReplayed,
  grant,
  makeAccount,
  type OwnRedis,
  openCreditContext,
  projectAll,
  projectLedger,
  restartRedis,
  spendOnce,
  startOwnRedis,
  type TestAccount,
  untilRedisIsBack,
} from '../../../support/credits.ts';
import { type TestContext, until } from '../../../support/harness.ts';

let redis: OwnRedis;
let ctx: TestContext;

beforeEach(async () => {
  redis = await startOwnRedis();
  ctx = await openCreditContext({ redisUrl: redis.url });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await ctx.close();
  await redis.stop();
});

const GRANT = { bucket: 'granted', amount: 5, idempotencyKey: 'grant' } as const;

/** An account with a history: spends of two buckets, a grant, a device that was revoked. */
async function makeHistory(): Promise<TestAccount & { revokedToken: string }> {
  const account = await makeAccount(ctx);
  await grant(ctx, account.accountId, GRANT);
  for (let count = 0; count < 25; count += 1) await spendOnce(ctx, account.token, { key: `k${count}` });
  const second = await makeAccount(ctx);
  await spendOnce(ctx, second.token);
  await deviceTokenRows(ctx).updateOne({ _id: second.deviceId }, { $set: { revoked_at: new Date() } });
  await revokeDeviceAccess(ctx, second.accountId, second.deviceId);
  return { ...account, revokedToken: second.token };
}

async function stateOf(accountId: string) {
  return (await readAccount(ctx, accountId))?.state;
}

async function expectWhole(account: TestAccount): Promise<void> {
  await projectAll(ctx);
  await expectReplayed(ctx, account.accountId);
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([]);
}

describe('a Redis that comes back', () => {
  test('after kill -9 is shut until it was checked, and has lost nothing', async () => {
    const account = await makeHistory();
    const before = await stateOf(account.accountId);
    const answer = await spendOnce(ctx, account.token, { key: 'k3' });
    await redis.kill();
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'store_unavailable' });
    await redis.start();
    await untilRedisIsBack(ctx);
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'rebuilding' });
    expect(await recoverCredits(ctx)).toMatchObject({ opened: 64, rebuilt: 0 });
    expect(await stateOf(account.accountId)).toEqual(before);
    expect((await spendOnce(ctx, account.token, { key: 'k3' })).answer).toBe(answer.answer);
    await expect(spendOnce(ctx, account.revokedToken)).rejects.toMatchObject({ code: 'unauthorized' });
    await expectWhole(account);
  });

  test('empty is rebuilt from the ledger: balances, idempotency records, revocations, and what was granted once', async () => {
    const account = await makeHistory();
    await projectAll(ctx);
    const before = await stateOf(account.accountId);
    const answer = await spendOnce(ctx, account.token, { key: 'k3' });
    await restartRedis(ctx, redis, true);
    expect((await recoverCredits(ctx)).rebuilt).toBeGreaterThan(0);
    expect(await stateOf(account.accountId)).toEqual(before);
    const replay = await spendOnce(ctx, account.token, { key: 'k3' });
    expect([replay.answer, replay.replayed]).toEqual([answer.answer, true]);
    await expect(spendOnce(ctx, account.revokedToken)).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await grant(ctx, account.accountId, GRANT)).replayed).toBe(true);
    await spendOnce(ctx, account.token);
    await expectWhole(account);
  });

  test('promises an answer for as long as before, not for two days from then', async () => {
    const account = await makeHistory();
    const { accountId: account_id } = account;
    await projectAll(ctx);
    const newest = await ledgerRows(ctx).findOne({ account_id }, { sort: { seq: -1 } });
    if (!newest?.idk) throw new Error('there is no row');
    const created_at = newest.created_at - 47 * 3_600;
    await ledgerRows(ctx).updateOne({ _id: newest._id }, { $set: { created_at } });
    await ctx.redis.producer.flushall();
    await recoverCredits(ctx);
    const leftS = await ctx.redis.producer.ttl(accountKeys(account_id).record(newest.idk));
    expect(leftS).toBeGreaterThan(3_000);
    expect(leftS).toBeLessThanOrEqual(3_600);
  });

  test('gives its entries ids beyond those of the ledger, also where the clock before was ahead', async () => {
    const account = await makeHistory();
    await projectAll(ctx);
    const last_id = `${Date.now() + 3_600_000}-5`;
    const _id = fenceId(shardOf(account.accountId));
    await ledgerFenceRows(ctx).updateOne({ _id }, { $set: { last_id } });
    await ctx.redis.producer.flushall();
    await recoverCredits(ctx);
    await spendOnce(ctx, account.token);
    await expectWhole(account);
  });

  test('emptied under way (FLUSHALL) is shut at once, and has lost exactly what the ledger did not have', async () => {
    const account = await makeHistory();
    await projectAll(ctx);
    const projected = await stateOf(account.accountId);
    for (let count = 0; count < 3; count += 1) await spendOnce(ctx, account.token);
    await ctx.redis.producer.flushall();
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'rebuilding' });
    await recoverCredits(ctx);
    expect(await stateOf(account.accountId)).toEqual(projected);
    await spendOnce(ctx, account.token);
    await expectWhole(account);
  });

  test('is put right by its own clock, however far ahead that of the worker is', async () => {
    const account = await makeHistory();
    await projectAll(ctx);
    const answer = await spendOnce(ctx, account.token, { key: 'k3' });
    await ctx.redis.producer.flushall();
    const clock = { ...ctx.clock, now: () => Date.now() + 49 * 3_600_000 };
    await recoverCredits({ ...ctx, clock, config: { ...ctx.config, nodeEnv: 'development' } });
    const replay = await spendOnce(ctx, account.token, { key: 'k3' });
    expect([replay.answer, replay.replayed]).toEqual([answer.answer, true]);
    await spendOnce(ctx, account.token);
    const looks = await readShardStates(ctx);
    expect(looks.filter(({ length }) => length > 0)).not.toEqual([]);
    expect(looks.filter(({ waitedMs }) => waitedMs < 0)).toEqual([]);
  });

  test('older than the ledger never gives credits back, nor a seq again, nor a revoked device', async () => {
    const account = await makeHistory();
    const aof = join(redis.dir, 'appendonlydir');
    cpSync(aof, `${aof}-old`, { recursive: true });
    for (let count = 0; count < 5; count += 1) await spendOnce(ctx, account.token, { key: `later${count}` });
    const answer = await spendOnce(ctx, account.token, { key: 'later2' });
    await deviceTokenRows(ctx).updateOne({ _id: account.deviceId }, { $set: { revoked_at: new Date() } });
    await revokeDeviceAccess(ctx, account.accountId, account.deviceId);
    await projectAll(ctx);
    const before = await stateOf(account.accountId);
    await redis.kill();
    rmSync(aof, { recursive: true });
    cpSync(`${aof}-old`, aof, { recursive: true });
    await redis.start();
    await untilRedisIsBack(ctx);
    expect((await recoverCredits(ctx)).rebuilt).toBeGreaterThan(0);
    expect(await stateOf(account.accountId)).toEqual(before);
    await expect(spendOnce(ctx, account.token, { key: 'later2' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    const { token } = await addDevice(ctx, account.accountId);
    const repeated = await spendOnce(ctx, token, { key: 'later2' });
    expect([repeated.answer, repeated.replayed]).toEqual([answer.answer, true]);
    await expectWhole(account);
  });

  test('with its file cut anywhere in its tail agrees with the ledger again', async () => {
    const account = await makeHistory();
    await projectAll(ctx);
    for (let count = 0; count < 4; count += 1) await spendOnce(ctx, account.token);
    await redis.kill();
    const aof = join(redis.dir, 'appendonlydir');
    cpSync(aof, `${aof}-whole`, { recursive: true });
    const name = readdirSync(aof).find((file) => file.endsWith('.incr.aof')) ?? '';
    const size = statSync(join(aof, name)).size;
    let seqs = 0;
    for (let cut = 0; cut < 12; cut += 1) {
      rmSync(aof, { recursive: true });
      cpSync(`${aof}-whole`, aof, { recursive: true });
      truncateSync(join(aof, name), size - 1 - cut * 611);
      await redis.start();
      await untilRedisIsBack(ctx);
      await recoverCredits(ctx);
      await spendOnce(ctx, account.token);
      await expectWhole(account);
      const seq = (await stateOf(account.accountId))?.seq ?? 0;
      expect(seq).toBeGreaterThan(seqs);
      seqs = seq;
      await redis.kill();
    }
    await redis.start();
  });
});

test('a rebuild on request puts a spoilt balance back to what the ledger says', async () => {
  const account = await makeHistory();
  await projectAll(ctx);
  const before = await stateOf(account.accountId);
  await ctx.redis.producer.hset(accountKeys(account.accountId).account, 'lots', 'g,999,0,lot_forged;');
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([
    { account_id: account.accountId, drift: { granted: 994 }, missing_rows: 0 },
  ]);
  await rebuildCredits(ctx);
  expect(await stateOf(account.accountId)).toEqual(before);
  await expectWhole(account);
});

test('a row that the ledger has lost is told as missing, with what its bucket lacks', async () => {
  const account = await makeHistory();
  await projectAll(ctx);
  const { accountId } = account;
  const row = await ledgerRows(ctx).findOneAndDelete({ account_id: accountId, bucket: 'granted' });
  const lost = { account_id: accountId, drift: { granted: row?.delta }, missing_rows: 1 };
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([lost]);
});

test('a worker that stood still while Redis came back again, and another one opened it, binds no ledger to what is gone', async () => {
  const account = await makeHistory();
  await projectAll(ctx);
  await restartRedis(ctx, redis);
  const fences = ledgerFenceRows(ctx);
  const bulkWrite = fences.bulkWrite.bind(fences);
  vi.spyOn(fences, 'bulkWrite').mockImplementationOnce(async (...args) => {
    await restartRedis(ctx, redis);
    expect(await recoverCredits(ctx)).toMatchObject({ opened: 64 });
    return bulkWrite(...args);
  });
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 0 });
  await spendOnce(ctx, account.token);
  await expectWhole(account);
});

test('a rebuild that takes long goes on holding its shards', async () => {
  const { epoch } = shardKeys(7);
  let leftMs = 0;
  vi.spyOn(ledgerFenceRows(ctx), 'bulkWrite').mockImplementationOnce(async () => {
    await ctx.redis.producer.pexpire(epoch, 5_000);
    await until(async () => {
      leftMs = await ctx.redis.producer.pttl(epoch);
      return leftMs > 5_000;
    });
    throw new Error('enough seen');
  });
  await expect(rebuildCredits(ctx, { renewEveryMs: 20 })).rejects.toThrow('enough seen');
  expect(leftMs).toBeGreaterThan(20_000);
});

test('a rebuild that is killed lets go of its shards when its lease ends, and a worker opens them', async () => {
  const account = await makeHistory();
  await projectAll(ctx);
  const before = await stateOf(account.accountId);
  const killed = { holder: 'killed', leaseMs: 1_500 };
  for (const shard of ALL_SHARDS) await holdShard(ctx, shard, killed);
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 0 });
  await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'rebuilding' });
  await until(async () => (await findPausedShards(ctx)).size === 64);
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 64, rebuilt: 0 });
  expect(await stateOf(account.accountId)).toEqual(before);
  await spendOnce(ctx, account.token);
});

test('a rebuild that fails lets go of its shards at once', async () => {
  vi.spyOn(ledgerFenceRows(ctx), 'bulkWrite').mockRejectedValueOnce(new Error('a write failed'));
  await expect(rebuildCredits(ctx)).rejects.toThrow('a write failed');
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 64 });
});

test('of two rebuilds at once the second changes no balance and says why', async () => {
  const account = await makeHistory();
  await holdShard(ctx, 63, { holder: 'first', leaseMs: 10_000 });
  await expect(rebuildCredits(ctx)).rejects.toThrow('Another rebuild holds shard 63');
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 63 });
  await releaseShard(ctx, 63, 'another');
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 0 });
  await releaseShard(ctx, 63, 'first');
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 1 });
  await spendOnce(ctx, account.token);
});

test('a rebuild whose shards were opened meanwhile says so instead of leaving accounts as they were', async () => {
  const account = await makeHistory();
  await projectAll(ctx);
  const { epoch } = accountKeys(account.accountId);
  const runId = await ctx.redis.producer.get(epoch);
  const bulkWrite = ledgerFenceRows(ctx).bulkWrite.bind(ledgerFenceRows(ctx));
  vi.spyOn(ledgerFenceRows(ctx), 'bulkWrite').mockImplementationOnce(async (...args) => {
    await ctx.redis.producer.set(epoch, runId ?? '');
    return bulkWrite(...args);
  });
  await expect(rebuildCredits(ctx)).rejects.toThrow('opened');
});

test('a rebuild beside a worker that moves the same streams loses nothing of them', async () => {
  const account = await makeAccount(ctx);
  const { accountId } = account;
  await grant(ctx, accountId, { bucket: 'granted', amount: 500 });
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 80; count += 1) await spendOnce(ctx, account.token);
    const before = await stateOf(accountId);
    let isRebuilt = false;
    const worker = (async () => {
      while (!isRebuilt) await projectLedger(ctx, ALL_SHARDS);
    })();
    await rebuildCredits(ctx).finally(() => {
      isRebuilt = true;
    });
    await worker;
    expect(await stateOf(accountId)).toEqual(before);
    await expectWhole(account);
  }
});

test('a repair on request is a row that makes the ledger add up, also for a rebuild after it', async () => {
  const account = await makeHistory();
  await ctx.redis.producer.hset(accountKeys(account.accountId).account, 'lots', 'g,3,0,lot_spoilt;');
  expect((await reconcileCredits(ctx, { repair: true })).repaired).toBe(1);
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([]);
  const adjusting = await ledgerRows(ctx).find({ account_id: account.accountId, seq: 29 }).toArray();
  expect(adjusting).toMatchObject([{ delta: -2, bucket: 'granted', reason: 'credit.adjust' }]);
  await rebuildCredits(ctx);
  expect((await stateOf(account.accountId))?.lots).toMatchObject([{ bucket: 'granted', left: 3 }]);
  await expectWhole(account);
});

test('a repair of what has changed since it was compared, as by another repair, writes nothing', async () => {
  const { accountId } = await makeHistory();
  const { seq } = (await stateOf(accountId)) ?? { seq: 0 };
  const repair = () =>
    changeCredits(ctx, { accountId, command: 'adjust', args: [seq, 'granted', 2, 'paid', 1] });
  expect([(await repair()).did, (await repair()).did]).toEqual(['done', 'none']);
  await projectAll(ctx);
  expect(await ledgerRows(ctx).countDocuments({ account_id: accountId, reason: 'credit.adjust' })).toBe(2);
});

test('the hourly check comes again in a minute when every shard is being rebuilt', async () => {
  await makeHistory();
  await ctx.redis.producer.del(...ALL_SHARDS.map((shard) => shardKeys(shard).epoch));
  const startedMs = ctx.clock.now();
  const again = await reconcileJob.handle({}, ctx);
  expect(again).toEqual({ notBeforeMs: expect.any(Number) });
  expect(again && 'notBeforeMs' in again ? again.notBeforeMs : 0).toBeGreaterThanOrEqual(startedMs + 60_000);
  await recoverCredits(ctx);
  expect(await reconcileJob.handle({}, ctx)).toMatchObject({ result: { unchecked: 0, drifted: 0 } });
});
