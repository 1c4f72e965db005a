import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEntryWait } from '../../workers/project-ledger.ts';
import {
  makeAccount,
  type OwnRedis,
  openCreditContext,
  projectAll,
  spendOnce,
  startOwnRedis,
} from '../support/credits.ts';
import { type TestContext, until } from '../support/harness.ts';

const FOR_EVER = 0;

let redis: OwnRedis;
let ctx: TestContext;
beforeAll(async () => {
  redis = await startOwnRedis();
  ctx = await openCreditContext({ redisUrl: redis.url });
});
afterAll(async () => {
  await ctx.close();
  await redis.stop();
});

test('a spend ends the wait for it, also one that came before the wait', async () => {
  const account = await makeAccount(ctx);
  await projectAll(ctx);
  const entries = openEntryWait(ctx);
  await until(() => entries.wait(1));
  const waited = entries.wait(FOR_EVER);
  await spendOnce(ctx, account.token, { key: randomUUID() });
  expect(await waited).toBe(true);
  expect(await entries.wait(FOR_EVER)).toBe(true);
  entries.stop();
});

test('the wait ends with Redis, and begins again with it', async () => {
  await projectAll(ctx);
  const entries = openEntryWait(ctx);
  await until(() => entries.wait(1));
  const waited = entries.wait(FOR_EVER);
  await redis.kill();
  expect(await waited).toBe(false);
  expect(await entries.wait(FOR_EVER)).toBe(false);
  await redis.start();
  await until(() => entries.wait(1));
  entries.stop();
});
