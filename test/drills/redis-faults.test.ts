import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { planRedis, redisServerCommand, startRedis } from '../../packages/stack/stores.ts';
import { recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { replayLedger } from '../../shared/core/credits/ledger/replay.ts';
import { readAccount } from '../../shared/core/credits/meter/account-record.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { signerOf } from '../../shared/core/credits/receipts/signer.ts';
import { ALL_SHARDS, accountKeys, shardKeys } from '../../shared/platform/redis/keys.ts';
import {
  forgetAnswers,
  makeAccount,
  type OwnRedis,
  openCreditContext,
  projectAll,
  spendOnce,
  spendSurely,
  startOwnRedis,
  stateDigest,
  type TestAccount,
  untilRedisIsBack,
} from '../support/credits.ts';
import { hasEnded } from '../support/drills/child.ts';
import { type NetProxy, startProxy } from '../support/drills/proxy.ts';
import { TEST_SIGNING_KEY, type TestContext, until } from '../support/harness.ts';

let redis: OwnRedis;
let proxy: NetProxy;
/** Reaches Redis through the proxy. */
let ctx: TestContext;
/** Reaches it directly: the checker. */
let direct: TestContext;
let account: TestAccount;

beforeAll(async () => {
  redis = await startOwnRedis();
  proxy = await startProxy(Number(new URL(redis.url).port));
  direct = await openCreditContext({ redisUrl: redis.url });
  const redisUrl = `redis://127.0.0.1:${proxy.port}`;
  ctx = await openCreditContext({ redisUrl });
  account = await makeAccount(ctx);
  await spendSurely(ctx, account.token);
});

// A test that failed may have left a fault, which its second attempt would meet.
beforeEach(async () => {
  process.kill(redis.pid(), 'SIGCONT');
  proxy.mode = 'pass';
  await untilRedisIsBack(ctx);
  await untilRedisIsBack(direct);
  await direct.redis.producer.config('SET', 'maxmemory', '0');
  await direct.redis.producer.call('REPLICAOF', 'NO', 'ONE');
});

afterAll(async () => {
  await ctx?.close();
  await direct?.close();
  await proxy?.close();
  await redis?.stop();
});

async function back(): Promise<void> {
  proxy.mode = 'pass';
  proxy.reset();
  await until(() => ctx.redis.meter.status !== 'ready');
  await untilRedisIsBack(ctx);
}

async function total(): Promise<number> {
  return (await readBalances(direct, account.accountId)).total;
}

describe('between api and Redis', () => {
  test('a lost reply is 504, the spend happened once, and a repeat gets its answer', async () => {
    const before = await total();
    const key = randomUUID();
    proxy.mode = 'drop-replies';
    await expect(spendOnce(ctx, account.token, { key })).rejects.toMatchObject({ code: 'outcome_unknown' });
    await back();
    expect((await spendSurely(ctx, account.token, key)).replayed).toBe(true);
    expect(await total()).toBe(before - 1);
  });

  test('a blackhole is 504 within the time of a command, and nothing is written afterwards', async () => {
    const before = await stateDigest(direct);
    proxy.mode = 'blackhole';
    const startedMs = performance.now();
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'outcome_unknown' });
    // A second for a command; a connection that is silent is given up after five.
    expect(performance.now() - startedMs).toBeLessThan(15_000);
    await back();
    expect(await stateDigest(direct)).toBe(before);
  });

  test('without a connection it is 503 at once: nothing was sent', async () => {
    proxy.mode = 'blackhole';
    proxy.reset();
    await until(() => ctx.redis.meter.status !== 'ready');
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'store_unavailable' });
    proxy.mode = 'pass';
    proxy.reset();
    await untilRedisIsBack(ctx);
  });

  test('a host that vanishes without a word is noticed, and its connections are opened again', async () => {
    const clients = [ctx.redis.meter, ctx.redis.producer] as Redis[];
    const kept = clients.map(({ options }) => options.socketTimeout);
    for (const { options } of clients) {
      expect(options.socketTimeout).toBeGreaterThan(options.commandTimeout ?? 0);
      // The drill need not wait that long.
      options.socketTimeout = 300;
    }
    proxy.vanish();
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await until(() => spendOnce(ctx, account.token).catch(() => null));
    await until(() => ctx.redis.producer.ping().catch(() => null));
    // Without a command that waits, silence is no fault.
    await expect(once(ctx.redis.meter, 'close', { signal: AbortSignal.timeout(600) })).rejects.toThrow();
    for (const [index, { options }] of clients.entries())
      Object.assign(options, { socketTimeout: kept[index] });
  });

  test('a spend that arrives after its deadline is not carried out', async () => {
    const before = await stateDigest(direct);
    process.kill(redis.pid(), 'SIGSTOP');
    const outcomes = Array.from({ length: 32 }, () =>
      spendOnce(ctx, account.token).catch((error) => error.code),
    );
    const codes = await Promise.all(outcomes);
    process.kill(redis.pid(), 'SIGCONT');
    expect(new Set(codes)).toEqual(new Set(['outcome_unknown']));
    await until(() => direct.redis.producer.ping().catch(() => null));
    expect(await stateDigest(direct)).toBe(before);
    await until(() => ctx.redis.meter.status === 'ready');
  });

  test.each([25, 100, 250])('%i ms each way are waited for', async (delayMs) => {
    proxy.delayMs = delayMs;
    proxy.mode = 'latency';
    const before = await total();
    // Again where a busy machine lets its deadline pass; one that is never waited for never succeeds.
    await spendSurely(ctx, account.token);
    proxy.mode = 'pass';
    expect(await total()).toBe(before - 1);
  });

  test('a way so slow that the deadline passes on it is 504, and nothing is written on arrival', async () => {
    proxy.delayMs = 900;
    proxy.mode = 'latency';
    const before = await stateDigest(direct);
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await back();
    expect((await stateDigest(direct)) === before, 'nothing was written').toBe(true);
  });
});

describe('a Redis that refuses', () => {
  test.each([
    ['is out of memory', ['CONFIG', 'SET', 'maxmemory', '1mb'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['is a replica (READONLY)', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    [
      'lacks replicas (NOREPLICAS)',
      ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
      ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
    ],
  ])('because it %s is 503 with nothing written, and goes on afterwards', async (_why, begin, end) => {
    const call = ([command = '', ...args]: string[]) => direct.redis.producer.call(command, ...args);
    const before = await stateDigest(direct);
    await call(begin);
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'store_unavailable' });
    await call(end);
    expect(await stateDigest(direct)).toBe(before);
    // One that was a replica has another history now.
    await recoverCredits(direct);
    await spendSurely(ctx, account.token);
  });

  test('because another script runs too long (BUSY) is 503 with nothing written, and goes on afterwards', async () => {
    const before = await stateDigest(direct);
    await direct.redis.producer.config('SET', 'busy-reply-threshold', '20');
    const other = new Redis(redis.url);
    const endless = other.eval('while true do end', 0).catch((error: Error) => error.message);
    const isBusy = () =>
      direct.redis.producer.ping().then(
        () => false,
        (error: Error) => error.message.startsWith('BUSY'),
      );
    await until(isBusy);
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'store_unavailable' });
    await direct.redis.producer.call('SCRIPT', 'KILL');
    expect(await endless).toContain('killed');
    other.disconnect();
    expect((await stateDigest(direct)) === before, 'nothing was written').toBe(true);
    await spendSurely(ctx, account.token);
  });

  test('because it loads its file (LOADING) is 503 with nothing written, and goes on afterwards', async () => {
    const filling = direct.redis.producer.pipeline();
    // They take ten seconds, unless they are told to hurry.
    for (let count = 0; count < 40_000; count += 1) filling.set('filler', count);
    await filling.exec();
    const before = await stateDigest(direct);
    const other = new Redis(redis.url);
    await other.config('SET', 'key-load-delay', '250');
    const loading = other.call('DEBUG', 'LOADAOF');
    const isLoading = () =>
      direct.redis.producer.ping().then(
        () => false,
        (error: Error) => error.message.startsWith('LOADING'),
      );
    await until(isLoading);
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'store_unavailable' });
    await direct.redis.producer.config('SET', 'key-load-delay', '0');
    await loading;
    other.disconnect();
    expect((await stateDigest(direct)) === before, 'nothing was written').toBe(true);
    await spendSurely(ctx, account.token);
    await direct.redis.producer.del('filler');
  });

  test('to know its scripts (SCRIPT FLUSH) is noticed by nobody', async () => {
    let isSpending = true;
    const flushing = (async () => {
      while (isSpending) await direct.redis.producer.call('SCRIPT', 'FLUSH');
    })();
    const { token } = await makeAccount(ctx);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let count = 0; count < 25; count += 1) await spendSurely(ctx, token);
      }),
    );
    isSpending = false;
    await flushing;
  });
});

describe('a signer', () => {
  test.each([
    ['throws', () => Promise.reject(new Error('The key service is gone'))],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('that %s is 503 with nothing written; what was answered is answered again', async (_how, sign) => {
    const key = randomUUID();
    const first = await spendSurely(ctx, account.token, key);
    const signing = vi.spyOn(signerOf(ctx), 'sign').mockImplementation(sign);
    const before = await stateDigest(direct);
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'signing_unavailable' });
    expect(await spendSurely(ctx, account.token, key)).toEqual({ ...first, replayed: true });
    signing.mockRestore();
    expect((await stateDigest(direct)) === before, 'nothing was written').toBe(true);
  });

  test('that has no key at the start refuses spends until it gets one', async () => {
    const file = join(redis.dir, 'signing-key.json');
    const env = { SIGNING_KEY: '', SIGNING_KEY_FILE: file };
    const keyless = await openCreditContext({ redisUrl: redis.url, env });
    const { token } = await makeAccount(keyless);
    await expect(spendOnce(keyless, token)).rejects.toMatchObject({ code: 'signing_unavailable' });
    writeFileSync(file, TEST_SIGNING_KEY);
    signerOf(keyless).reload();
    await spendSurely(keyless, token);
    await keyless.close();
  });
});

describe("Redis' clock", () => {
  test('that was ahead and went back leaves the ledger in order of seq, without gap', async () => {
    const { token, accountId } = await makeAccount(direct);
    for (let count = 0; count < 3; count += 1) await spendSurely(direct, token);
    const { stream } = accountKeys(accountId);
    const ahead = `${Date.now() + 7_200_000}-0`;
    await direct.redis.producer.xadd(stream, ahead, 'rebuilt', '1');
    for (let count = 0; count < 3; count += 1) await spendSurely(direct, token);
    const [last] = await direct.redis.producer.xrevrange(stream, '+', '-', 'COUNT', 1);
    expect(last?.[0]).toBe(ahead.replace('-0', '-3'));
    await projectAll(direct);
    await spendSurely(direct, token);
    await projectAll(direct);
    expect(await replayLedger(direct, accountId)).toEqual((await readAccount(direct, accountId))?.state);
  });

  test('that jumps ahead and ends an answer early: the repeated key costs one credit in sum', async () => {
    const { token, accountId } = await makeAccount(direct);
    const key = randomUUID();
    await spendSurely(direct, token, key);
    const before = (await readBalances(direct, accountId)).total;
    await forgetAnswers(direct, accountId);
    expect((await spendSurely(direct, token, key)).replayed).toBe(false);
    // The refund is projected with the next round.
    await projectAll(direct);
    await projectAll(direct);
    expect((await readBalances(direct, accountId)).total).toBe(before);
    expect(await replayLedger(direct, accountId)).toEqual((await readAccount(direct, accountId))?.state);
  });
});

test('503 backpressure when the ledger lags too far behind; repeats are still answered', async () => {
  // Its ledger is another one, so that the shards must be opened for it.
  await direct.redis.producer.del(...ALL_SHARDS.map((shard) => shardKeys(shard).epoch));
  const small = await openCreditContext({
    redisUrl: redis.url,
    env: { LEDGER_STREAM_ENTRIES_PER_SHARD: '10' },
  });
  const { token, accountId } = await makeAccount(small);
  const keys = Array.from({ length: 10 }, () => randomUUID());
  for (const key of keys) await spendSurely(small, token, key);
  const before = await stateDigest(small);
  await expect(spendOnce(small, token)).rejects.toMatchObject({ code: 'backpressure' });
  expect(await stateDigest(small)).toBe(before);
  expect((await spendSurely(small, token, keys[0])).replayed).toBe(true);
  await projectAll(small);
  await spendSurely(small, token);
  expect((await readAccount(small, accountId))?.state.seq).toBe(13);
  await small.close();
});

describe('a full disk', () => {
  // The limit of the append-only file, in blocks of 512 bytes: a limit of the process acts as a full disk.
  const BLOCKS = 2_048;
  const FILLER = 'x'.repeat(BLOCKS * 512 - 60_000);

  /** On files of its own, which may not grow beyond the limit. */
  async function startFilling(place: Parameters<typeof planRedis>[1]): Promise<ChildProcess> {
    const { file, args, isReady } = planRedis(await redisServerCommand(), place);
    const limited = `trap '' XFSZ; ulimit -f ${BLOCKS}; exec "$0" "$@"`;
    const child = spawn('sh', ['-c', limited, file, ...args], { cwd: place.dir, stdio: 'ignore' });
    await until(isReady);
    return child;
  }

  /** Spends until the disk is full, and returns the keys of those that were answered and the codes of those that were not. */
  async function spendUntilFull(
    on: TestContext,
    token: string,
    isFull: () => Promise<boolean>,
  ): Promise<{ keys: string[]; codes: unknown[] }> {
    const keys: string[] = [];
    for (const codes: unknown[] = []; ; ) {
      const key = randomUUID();
      try {
        await spendOnce(on, token, { key });
        keys.push(key);
      } catch (error) {
        codes.push((error as { code?: string }).code);
        // On a busy machine the deadline of a spend may pass before. The end of a Redis is seen in a later turn.
        await nextTurn();
        if (await isFull()) return { keys, codes };
      }
    }
  }

  const isMisconfigured = (error: Error) => error.message.includes('MISCONF');

  /** As it is with `everysec`: it stays, and says so to every write. */
  async function expectRefusing(on: TestContext, token: string, redisProcess: ChildProcess): Promise<void> {
    await expect(on.redis.producer.set('more', 'x')).rejects.toThrow('MISCONF');
    const before = await stateDigest(on);
    await expect(spendOnce(on, token)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect((await stateDigest(on)) === before, 'nothing was written').toBe(true);
    // The ledger takes what only this Redis' memory holds; that the stream cannot be cut then is all.
    await expect(projectAll(on)).rejects.toThrow('MISCONF');
    redisProcess.kill('SIGKILL');
  }

  test.each([
    ['everysec', 'refuses to write'],
    ['always', 'ends itself'],
  ])(
    'with appendfsync %s, where Redis %s, loses and halves nothing, and there is room again',
    async (policy) => {
      const dir = mkdtempSync(join(tmpdir(), 'usage-governor-full-'));
      const place = { port: await findFreePort(), dir, extraArgs: ['--appendfsync', policy] };
      const small = await startFilling(place);
      const ended = once(small, 'exit');
      const on = await openCreditContext({ redisUrl: `redis://127.0.0.1:${place.port}` });
      const { token, accountId } = await makeAccount(on);
      await on.redis.producer.set('filler', FILLER);
      const isRefusing = () => on.redis.producer.set('more', 'x').then(() => false, isMisconfigured);
      const isFull = async () => (policy === 'everysec' ? isRefusing() : hasEnded(small));
      const { keys, codes } = await spendUntilFull(on, token, isFull);
      expect(codes.filter((code) => code !== 'store_unavailable' && code !== 'outcome_unknown')).toEqual([]);
      if (policy === 'everysec') await expectRefusing(on, token, small);
      await ended;
      const roomy = await startRedis(place);
      await untilRedisIsBack(on);
      await recoverCredits(on);
      for (const key of keys) expect((await spendSurely(on, token, key)).replayed).toBe(true);
      const fallen = 220 - (await readBalances(on, accountId)).total;
      const unknown = codes.filter((code) => code === 'outcome_unknown').length;
      expect(fallen - keys.length).toBeGreaterThanOrEqual(0);
      expect(fallen - keys.length).toBeLessThanOrEqual(unknown);
      await projectAll(on);
      expect(await replayLedger(on, accountId)).toEqual((await readAccount(on, accountId))?.state);
      await on.redis.producer.del('filler', 'more');
      await on.close();
      await roomy.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  );
});
