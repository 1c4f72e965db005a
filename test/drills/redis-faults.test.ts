import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAccount, readBalances } from '../../shared/credits/read-balance.ts';
import {
  makeAccount,
  type OwnRedis,
  openCreditContext,
  projectAll,
  spendOnce,
  startOwnRedis,
  stateDigest,
  type TestAccount,
} from '../credits.ts';
import { type TestContext, until } from '../harness.ts';
import { type NetProxy, startProxy } from './proxy.ts';

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
  await spendOnce(ctx, account.token);
});

afterAll(async () => {
  proxy.mode = 'pass';
  await ctx.close();
  await direct.close();
  await proxy.close();
  await redis.stop();
});

async function back(): Promise<void> {
  proxy.mode = 'pass';
  proxy.reset();
  await until(() => ctx.redis.meter.status !== 'ready');
  await until(() => ctx.redis.meter.status === 'ready' && ctx.redis.producer.status === 'ready');
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
    expect((await spendOnce(ctx, account.token, { key })).replayed).toBe(true);
    expect(await total()).toBe(before - 1);
  });

  test('a blackhole is 504 within the time of a command, and nothing is written afterwards', async () => {
    const before = await stateDigest(direct);
    proxy.mode = 'blackhole';
    const startedMs = performance.now();
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(performance.now() - startedMs).toBeLessThan(5_000);
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
    await until(() => ctx.redis.meter.status === 'ready' && ctx.redis.producer.status === 'ready');
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
    await direct.redis.producer.ping();
    expect(await stateDigest(direct)).toBe(before);
    await until(() => ctx.redis.meter.status === 'ready');
  });

  test('slow replies are waited for', async () => {
    proxy.delayMs = 100;
    proxy.mode = 'latency';
    const before = await total();
    await spendOnce(ctx, account.token);
    proxy.mode = 'pass';
    expect(await total()).toBe(before - 1);
  });
});

describe('a Redis that refuses', () => {
  test.each([
    ['is out of memory', ['CONFIG', 'SET', 'maxmemory', '1mb'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['is a replica (READONLY)', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])('because it %s is 503 with nothing written, and goes on afterwards', async (_why, begin, end) => {
    const call = ([command = '', ...args]: string[]) => direct.redis.producer.call(command, ...args);
    const before = await stateDigest(direct);
    await call(begin);
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'store_unavailable' });
    await call(end);
    expect(await stateDigest(direct)).toBe(before);
    await spendOnce(ctx, account.token);
  });

  test('to know its scripts (SCRIPT FLUSH) is noticed by nobody', async () => {
    for (let count = 0; count < 20; count += 1) {
      await direct.redis.producer.call('SCRIPT', 'FLUSH');
      await spendOnce(ctx, account.token);
    }
  });
});

test('503 backpressure when the ledger lags too far behind; repeats are still answered', async () => {
  const small = await openCreditContext({ redisUrl: redis.url, env: { OUTBOX_ENTRIES_PER_SHARD: '10' } });
  const { token, accountId } = await makeAccount(small);
  const keys = Array.from({ length: 10 }, () => randomUUID());
  for (const key of keys) await spendOnce(small, token, { key });
  const before = await stateDigest(small);
  await expect(spendOnce(small, token)).rejects.toMatchObject({ code: 'backpressure' });
  expect(await stateDigest(small)).toBe(before);
  expect((await spendOnce(small, token, { key: keys[0] ?? '' })).replayed).toBe(true);
  await projectAll(small);
  await spendOnce(small, token);
  expect((await readAccount(small, accountId))?.state.seq).toBe(13);
  await small.close();
});
