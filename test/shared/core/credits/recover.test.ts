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
import { startCredits, type TestAccount, untilRedisIsBack } from '../../../support/credits.ts';
import { type TestContext, until } from '../../../support/harness.ts';

let fx: Awaited<ReturnType<typeof startCredits>>;
let ctx: TestContext;
beforeEach(async () => {
  fx = await startCredits();
  ({ ctx } = fx);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await fx.close();
});

const GRANT = { bucket: 'granted', amount: 5, idempotencyKey: 'grant' } as const;

/** An account with a history: spends of two buckets, a grant, a device that was revoked. The ledger has all of it. */
async function makeHistory(): Promise<TestAccount & { revokedToken: string }> {
  const account = await fx.makeAccount();
  await fx.grant(account.accountId, GRANT);
  await spendTimes(account, 25);
  const second = await fx.makeAccount();
  await spendTimes(second, 1);
  await revokeDevice(second);
  await fx.projectAll();
  return { ...account, revokedToken: second.token };
}

/** So many spends, by the keys k0, k1, … unless they are called otherwise. */
async function spendTimes({ token }: TestAccount, times: number, name = 'k'): Promise<void> {
  for (let count = 0; count < times; count += 1) await fx.spendOnce(token, { key: `${name}${count}` });
}

async function revokeDevice({ accountId, deviceId }: TestAccount): Promise<void> {
  await deviceTokenRows(ctx).updateOne({ _id: deviceId }, { $set: { revoked_at: new Date() } });
  await revokeDeviceAccess(ctx, accountId, deviceId);
}

const stateOf = async ({ accountId }: TestAccount) => (await readAccount(ctx, accountId))?.state;

/** The answer to the spend of a key is the one of before. */
async function expectRepeated(token: string, key: string, answer: string): Promise<void> {
  expect(await fx.spendOnce(token, { key })).toMatchObject({ answer, replayed: true });
}

async function expectWhole(account: TestAccount): Promise<void> {
  await fx.projectAll();
  await fx.expectReplayed(account.accountId);
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([]);
}

describe('a Redis that comes back', () => {
  test('after kill -9 is shut until it was checked, and has lost nothing', async () => {
    const account = await makeHistory();
    await spendTimes(account, 5, 'unprojected');
    const { answer } = await fx.spendOnce(account.token, { key: 'unprojected3' });
    const before = await stateOf(account);
    await fx.redis.kill();
    await expect(fx.spendOnce(account.token)).rejects.toMatchObject({ code: 'store_unavailable' });
    await fx.redis.start();
    await untilRedisIsBack(ctx);
    await expect(fx.spendOnce(account.token)).rejects.toMatchObject({ code: 'rebuilding' });
    expect(await recoverCredits(ctx)).toMatchObject({ opened: 64, rebuilt: 0 });
    expect(await stateOf(account)).toEqual(before);
    await expectRepeated(account.token, 'unprojected3', answer);
    await expect(fx.spendOnce(account.revokedToken)).rejects.toMatchObject({ code: 'unauthorized' });
    await expectWhole(account);
  });

  test.each([
    ['empty', () => fx.restartRedis(true)],
    ['emptied under way (FLUSHALL)', () => ctx.redis.producer.flushall()],
  ])(
    '%s is shut and rebuilt from the ledger: balances, idempotency records, revocations, and what was granted once; it has lost what the ledger did not have',
    async (_, empty) => {
      const account = await makeHistory();
      const projected = await stateOf(account);
      const { answer } = await fx.spendOnce(account.token, { key: 'k3' });
      await spendTimes(account, 3, 'unprojected');
      await empty();
      await expect(fx.spendOnce(account.token)).rejects.toMatchObject({ code: 'rebuilding' });
      expect((await recoverCredits(ctx)).rebuilt).toBeGreaterThan(0);
      expect(await stateOf(account)).toEqual(projected);
      await expectRepeated(account.token, 'k3', answer);
      await expect(fx.spendOnce(account.revokedToken)).rejects.toMatchObject({ code: 'unauthorized' });
      expect((await fx.grant(account.accountId, GRANT)).replayed).toBe(true);
      await fx.spendOnce(account.token);
      await expectWhole(account);
    },
  );

  test('empty promises an answer for as long as before, and gives its entries ids beyond those of the ledger, also where the clock before was ahead', async () => {
    const account = await makeHistory();
    const { accountId: account_id } = account;
    const newest = await ledgerRows(ctx).findOne({ account_id }, { sort: { seq: -1 } });
    if (!newest?.idk) throw new Error('there is no row');
    const created_at = newest.created_at - 47 * 3_600;
    await ledgerRows(ctx).updateOne({ _id: newest._id }, { $set: { created_at } });
    const _id = fenceId(shardOf(account_id));
    const last_id = `${Date.now() + 3_600_000}-5`;
    await ledgerFenceRows(ctx).updateOne({ _id }, { $set: { last_id } });
    await ctx.redis.producer.flushall();
    await recoverCredits(ctx);
    const leftS = await ctx.redis.producer.ttl(accountKeys(account_id).record(newest.idk));
    expect(leftS).toBeGreaterThan(3_000);
    expect(leftS).toBeLessThanOrEqual(3_600);
    await fx.spendOnce(account.token);
    await expectWhole(account);
  });

  test('is put right by its own clock, however far ahead that of the worker is', async () => {
    const account = await makeHistory();
    const { answer } = await fx.spendOnce(account.token, { key: 'k3' });
    await ctx.redis.producer.flushall();
    const clock = { ...ctx.clock, now: () => Date.now() + 49 * 3_600_000 };
    await recoverCredits({ ...ctx, clock, config: { ...ctx.config, nodeEnv: 'development' } });
    await expectRepeated(account.token, 'k3', answer);
    await fx.spendOnce(account.token);
    const looks = await readShardStates(ctx);
    expect(looks.filter(({ length }) => length > 0)).not.toEqual([]);
    expect(looks.filter(({ waitedMs }) => waitedMs < 0)).toEqual([]);
  });

  test('is not taken for one without shards while it is away', async () => {
    await fx.redis.kill();
    await expect(readShardStates(ctx)).rejects.toThrow();
    await fx.redis.start();
    await untilRedisIsBack(ctx);
    expect(await readShardStates(ctx)).toHaveLength(ALL_SHARDS.length);
  });

  test('older than the ledger never gives credits back, nor a seq again, nor a revoked device', async () => {
    const account = await makeHistory();
    const aof = join(fx.redis.dir, 'appendonlydir');
    cpSync(aof, `${aof}-old`, { recursive: true });
    await spendTimes(account, 5, 'later');
    const { answer } = await fx.spendOnce(account.token, { key: 'later2' });
    await revokeDevice(account);
    await fx.projectAll();
    const before = await stateOf(account);
    await fx.redis.kill();
    rmSync(aof, { recursive: true });
    cpSync(`${aof}-old`, aof, { recursive: true });
    await fx.redis.start();
    await untilRedisIsBack(ctx);
    expect((await recoverCredits(ctx)).rebuilt).toBeGreaterThan(0);
    expect(await stateOf(account)).toEqual(before);
    const repeat = fx.spendOnce(account.token, { key: 'later2' });
    await expect(repeat).rejects.toMatchObject({ code: 'unauthorized' });
    const { token } = await fx.addDevice(account.accountId);
    await expectRepeated(token, 'later2', answer);
    await expectWhole(account);
  });

  test('with its file cut anywhere in its tail agrees with the ledger again', async () => {
    const account = await makeHistory();
    await spendTimes(account, 4, 'later');
    await fx.redis.kill();
    const aof = join(fx.redis.dir, 'appendonlydir');
    cpSync(aof, `${aof}-whole`, { recursive: true });
    const name = readdirSync(aof).find((file) => file.endsWith('.incr.aof')) ?? '';
    const size = statSync(join(aof, name)).size;
    let seqs = 0;
    for (let cut = 0; cut < 12; cut += 1) {
      rmSync(aof, { recursive: true });
      cpSync(`${aof}-whole`, aof, { recursive: true });
      truncateSync(join(aof, name), size - 1 - cut * 611);
      await fx.redis.start();
      await untilRedisIsBack(ctx);
      await recoverCredits(ctx);
      await fx.spendOnce(account.token);
      await expectWhole(account);
      const seq = (await stateOf(account))?.seq ?? 0;
      expect(seq).toBeGreaterThan(seqs);
      seqs = seq;
      await fx.redis.kill();
    }
    await fx.redis.start();
  });
});

test('a spoilt balance is drift, which a rebuild puts back to what the ledger says and a repair makes a row of, also for a rebuild after it', async () => {
  const account = await makeHistory();
  const { accountId: account_id } = account;
  const before = await stateOf(account);
  const spoil = (lots: string) => ctx.redis.producer.hset(accountKeys(account_id).account, 'lots', lots);
  await spoil('g,999,0,lot_forged;');
  const drifted = [{ account_id, drift: { granted: 994 }, missing_rows: 0 }];
  expect(await reconcileCredits(ctx, { repair: false })).toMatchObject({ drifted });
  await rebuildCredits(ctx);
  expect(await stateOf(account)).toEqual(before);
  await expectWhole(account);
  await spoil('g,3,0,lot_spoilt;');
  expect((await reconcileCredits(ctx, { repair: true })).repaired).toBe(1);
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([]);
  const adjusting = await ledgerRows(ctx).find({ account_id, seq: 29 }).toArray();
  expect(adjusting).toMatchObject([{ delta: -2, bucket: 'granted', reason: 'credit.adjust' }]);
  await rebuildCredits(ctx);
  expect((await stateOf(account))?.lots).toMatchObject([{ bucket: 'granted', left: 3 }]);
  await expectWhole(account);
});

test('a row that the ledger has lost is told as missing, with what its bucket lacks', async () => {
  const account = await makeHistory();
  const { accountId } = account;
  const row = await ledgerRows(ctx).findOneAndDelete({ account_id: accountId, bucket: 'granted' });
  const lost = { account_id: accountId, drift: { granted: row?.delta }, missing_rows: 1 };
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([lost]);
});

test('a worker that stood still while Redis came back again, and another one opened it, binds no ledger to what is gone', async () => {
  const account = await makeHistory();
  await fx.restartRedis();
  const fences = ledgerFenceRows(ctx);
  const bulkWrite = fences.bulkWrite.bind(fences);
  vi.spyOn(fences, 'bulkWrite').mockImplementationOnce(async (...args) => {
    await fx.restartRedis();
    expect(await recoverCredits(ctx)).toMatchObject({ opened: 64 });
    return bulkWrite(...args);
  });
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 0 });
  await fx.spendOnce(account.token);
  await expectWhole(account);
});

test('a rebuild that takes long goes on holding its shards, and lets go of them at once when it fails', async () => {
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
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 64 });
});

test('a rebuild that is killed lets go of its shards when its lease ends, and a worker opens them', async () => {
  const account = await makeHistory();
  const before = await stateOf(account);
  const killed = { holder: 'killed', leaseMs: 1_500 };
  for (const shard of ALL_SHARDS) await holdShard(ctx, shard, killed);
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 0 });
  await expect(fx.spendOnce(account.token)).rejects.toMatchObject({ code: 'rebuilding' });
  await until(async () => (await findPausedShards(ctx)).size === 64);
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 64, rebuilt: 0 });
  expect(await stateOf(account)).toEqual(before);
  await fx.spendOnce(account.token);
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
  await fx.spendOnce(account.token);
});

test('a rebuild whose shards were opened meanwhile says so instead of leaving accounts as they were', async () => {
  const account = await makeHistory();
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
  const account = await fx.makeAccount();
  await fx.grant(account.accountId, { bucket: 'granted', amount: 500 });
  for (let round = 0; round < 3; round += 1) {
    await spendTimes(account, 80, `round ${round} `);
    const before = await stateOf(account);
    let isRebuilt = false;
    const worker = (async () => {
      while (!isRebuilt) await fx.projectLedger(ALL_SHARDS);
    })();
    await rebuildCredits(ctx).finally(() => {
      isRebuilt = true;
    });
    await worker;
    expect(await stateOf(account)).toEqual(before);
    await expectWhole(account);
  }
});

test('a repair of what has changed since it was compared, as by another repair, writes nothing', async () => {
  const account = await makeHistory();
  const { accountId } = account;
  const { seq } = (await stateOf(account)) ?? { seq: 0 };
  const repair = () =>
    changeCredits(ctx, { accountId, command: 'adjust', args: [seq, 'granted', 2, 'paid', 1] });
  expect([(await repair()).did, (await repair()).did]).toEqual(['done', 'none']);
  await fx.projectAll();
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
