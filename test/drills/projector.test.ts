import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { projectRound } from '../../shared/core/credits/ledger/project-ledger.ts';
import { reconcileCredits } from '../../shared/core/credits/ledger/reconcile.ts';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { ALL_SHARDS, accountKeys, shardOf } from '../../shared/platform/redis/keys.ts';
import {
  expectReplayed,
  makeAccount,
  type OwnRedis,
  openCreditContext,
  projectAll,
  projectLedger,
  shardsWithEntries,
  spendSurely,
  startOwnRedis,
  type TestAccount,
} from '../support/credits.ts';
import { openTestContext, type TestContext, until } from '../support/harness.ts';

let redis: OwnRedis;
let ctx: TestContext;

beforeAll(async () => {
  redis = await startOwnRedis();
  ctx = await openCreditContext({ redisUrl: redis.url });
});

afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  await ctx.close();
  await redis.stop();
});

async function spendTimes(account: TestAccount, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await spendSurely(ctx, account.token);
}

/** Every spend is in the ledger once, without a gap, and adds up to what Redis holds. */
async function expectExact(account: TestAccount, spends: number): Promise<void> {
  await projectAll(ctx);
  const receipts = { account_id: account.accountId, reason: 'receipt' as const };
  expect(await ledgerRows(ctx).countDocuments(receipts)).toBe(spends);
  const withReceipt = { ...receipts, receipt: { $exists: true } };
  expect(await ledgerRows(ctx).countDocuments(withReceipt)).toBe(spends);
  await expectReplayed(ctx, account.accountId);
}

test('a projector that dies between the ledger and the stream is repeated without a second row', async () => {
  const account = await makeAccount(ctx);
  await spendTimes(account, 5);
  vi.spyOn(ctx.redis.producer, 'pipeline').mockImplementation(() => {
    throw new Error('killed');
  });
  await expect(projectLedger(ctx, await shardsWithEntries(ctx))).rejects.toThrow('killed');
  expect(await ledgerRows(ctx).countDocuments({ account_id: account.accountId })).toBe(7);
  vi.restoreAllMocks();
  // The next round finds what is there beside what is not.
  await spendTimes(account, 3);
  await expectExact(account, 8);
});

test('a projector whose transaction fails on its way removes nothing from the stream', async () => {
  const account = await makeAccount(ctx);
  await spendTimes(account, 5);
  const shards = await shardsWithEntries(ctx);
  vi.spyOn(ledgerRows(ctx), 'insertMany').mockRejectedValue(new Error('a write failed'));
  await expect(projectLedger(ctx, shards)).rejects.toThrow('a write failed');
  expect(await ledgerRows(ctx).countDocuments({ account_id: account.accountId })).toBe(0);
  expect(await shardsWithEntries(ctx)).toEqual(shards);
  vi.restoreAllMocks();
  await expectExact(account, 5);
});

test('an entry that contradicts the ledger stays in its stream, and holds up its own shard alone', async () => {
  const clashing = await makeAccount(ctx);
  let other = await makeAccount(ctx);
  while (shardOf(other.accountId) === shardOf(clashing.accountId)) other = await makeAccount(ctx);
  await spendTimes(clashing, 1);
  await projectAll(ctx);
  const known = {
    account_id: clashing.accountId,
    seq: 4,
    delta: 5,
    bucket: 'granted',
    reason: 'credit.grant',
  } as const;
  await ledgerRows(ctx).insertOne({ _id: randomUUID(), created_at: 1, ...known });
  await spendTimes(clashing, 1);
  await spendTimes(other, 2);
  const round = await projectRound(ctx, ALL_SHARDS);
  expect([round.moved, [...round.stalled.keys()]]).toEqual([2, [shardOf(clashing.accountId)]]);
  expect(round.stalled.get(shardOf(clashing.accountId))?.message).toContain('contradicts row 4');
  await expectReplayed(ctx, other.accountId);
  const rows = await ledgerRows(ctx).find({ account_id: clashing.accountId, seq: 4 }).toArray();
  expect(rows).toMatchObject([known]);
  const { stream } = accountKeys(clashing.accountId);
  expect(await ctx.redis.producer.xlen(stream)).toBe(1);
  expect(await reconcileCredits(ctx, { repair: false, records: true })).toMatchObject({
    receipts_without_rows: 1,
  });
  // Once the false row is gone, the entry takes its place.
  await ledgerRows(ctx).deleteOne({ account_id: clashing.accountId, seq: 4 });
  await expectExact(clashing, 2);
});

test('four projectors at once write every row once', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => makeAccount(ctx)));
  const others = await Promise.all(Array.from({ length: 3 }, () => openTestContext({ sharing: ctx })));
  await until(() => others.every(({ redis: { producer } }) => producer.status === 'ready'));
  let isSpending = true;
  const projecting = [ctx, ...others].map(async (each) => {
    while (isSpending) await projectLedger(each, await shardsWithEntries(each));
  });
  await Promise.all(accounts.map((account) => spendTimes(account, 40)));
  isSpending = false;
  await Promise.all(projecting);
  for (const account of accounts) await expectExact(account, 40);
  await Promise.all(others.map((each) => each.close()));
});
