import { expect, test } from 'vitest';
import { receiptRetention } from '../../../../shared/core/credits/ledger/forget-receipts.ts';
import { recoverCredits } from '../../../../shared/core/credits/ledger/open-shards.ts';
import { readEntry } from '../../../../shared/core/credits/ledger/stream.ts';
import { creditAccountRows, type LedgerRow, ledgerRows } from '../../../../shared/core/credits/model.ts';
import { purge } from '../../../../shared/core/retention/purge.ts';
import { shardKeys, shardOf } from '../../../../shared/platform/redis/keys.ts';
import { RETENTION } from '../../../../shared/tables/retention.ts';
import { openCredits } from '../../../support/credits.ts';

const HOUR_S = 3_600;
const fx = await openCredits();
const { ctx } = fx;

const spendsOf = (accountId: string) =>
  ledgerRows(ctx).find({ account_id: accountId, reason: 'receipt' }).sort({ seq: 1 }).toArray();
const purgeAt = (atS: number) => receiptRetention.purge(ctx, atS * 1_000);

test('a receipt goes from its row an hour after no repeat can ask for it, and nothing else of the row does', async () => {
  const account = await fx.makeAccount();
  for (const key of ['a', 'b', 'c']) await fx.spendOnce(account.token, { key });
  await fx.projectAll();
  const before = await spendsOf(account.accountId);
  const lastS = before.at(-1)?.created_at ?? 0;
  await purgeAt((before[0]?.created_at ?? 0) + 49 * HOUR_S);
  expect(await spendsOf(account.accountId)).toEqual(before);
  expect(await purgeAt(lastS + 49 * HOUR_S + 1)).toBe(3);
  const bare = before.map(({ receipt: _, ...row }: LedgerRow) => row);
  expect(await spendsOf(account.accountId)).toEqual(bare);
  expect(await purgeAt(lastS + 50 * HOUR_S)).toBe(0);
  await fx.expectReplayed(account.accountId);
});

test('only the old ones of an account go, in steps, and the hourly purge does it', async () => {
  const account = await fx.makeAccount();
  const { accountId } = account;
  await fx.spendOnce(account.token);
  await fx.projectAll();
  const [spent] = await spendsOf(accountId);
  if (!spent) throw new Error('no spend');
  // As if its rows were so old.
  await ledgerRows(ctx).updateMany({ account_id: accountId }, { $inc: { created_at: -100 * HOUR_S } });
  const copies = Array.from({ length: 1_205 }, (_, at) => {
    const created_at = spent.created_at - (at < 1_200 ? 100 * HOUR_S : 0);
    return { ...spent, _id: `${spent._id}-${at}`, seq: spent.seq + at + 1, created_at };
  });
  await ledgerRows(ctx).insertMany(copies);
  expect(await purge(ctx, RETENTION)).toMatchObject({ receipts: 1_201 });
  const left = (await spendsOf(accountId)).filter(({ receipt }) => receipt !== undefined);
  expect(left.map(({ seq }) => seq)).toEqual(copies.slice(-5).map(({ seq }) => seq));
  expect(await creditAccountRows(ctx).findOne({ _id: accountId })).toMatchObject({
    receipts_gone_through: spent.seq + 1_200,
  });
});

test('a repeat within 48 hours gets the same bytes after a purge, also from a Redis that came back empty', async () => {
  const account = await fx.makeAccount();
  const first = await fx.spendOnce(account.token, { key: 'k' });
  await fx.projectAll();
  await purgeAt(first.expiresS);
  const { redis: clients } = ctx;
  expect(await clients.meter.xlen(shardKeys(shardOf(account.accountId)).stream)).toBe(0);
  const repeated = await fx.spendOnce(account.token, { key: 'k' });
  expect([repeated.answer, repeated.replayed]).toEqual([first.answer, true]);
  await fx.restartRedis(true);
  expect((await recoverCredits(ctx)).rebuilt).toBeGreaterThan(0);
  await purgeAt(first.expiresS);
  const rebuilt = await fx.spendOnce(account.token, { key: 'k' });
  expect([rebuilt.answer, rebuilt.replayed]).toEqual([first.answer, true]);
});

test('a spend that is still in its stream contradicts no row whose receipt is gone', async () => {
  const account = await fx.makeAccount();
  await fx.spendOnce(account.token);
  const shard = shardKeys(shardOf(account.accountId));
  // As if a worker had written it and been killed before it took it out of the stream, two days ago.
  const entries = await ctx.redis.meter.xrange(shard.stream, '-', '+');
  const rows = entries.flatMap((entry) => readEntry(entry).rows);
  await ledgerRows(ctx).insertMany(rows.map(({ receipt: _, ...row }) => row));
  await fx.projectAll();
  expect(await ctx.redis.meter.xlen(shard.stream)).toBe(0);
  expect((await spendsOf(account.accountId)).map(({ receipt }) => receipt)).toEqual([undefined]);
});
