import { randomUUID } from 'node:crypto';
import type { Gauge } from 'prom-client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { catchUp } from '../../../../shared/core/credits/ledger/catch-up.ts';
import { ensureAccount } from '../../../../shared/core/credits/ledger/ensure-account.ts';
import { rebuildCredits, recoverCredits } from '../../../../shared/core/credits/ledger/open-shards.ts';
import { projectRound } from '../../../../shared/core/credits/ledger/project-ledger.ts';
import { reconcileCredits } from '../../../../shared/core/credits/ledger/reconcile.ts';
import { replayLedger } from '../../../../shared/core/credits/ledger/replay.ts';
import { readBalances } from '../../../../shared/core/credits/meter/read-balances.ts';
import { findPausedShards, readShardStates } from '../../../../shared/core/credits/meter/shards.ts';
import { ledgerLag, pausedShards, stalledShards } from '../../../../shared/core/credits/metrics.ts';
import { creditAccountRows, ledgerFenceRows, ledgerRows } from '../../../../shared/core/credits/model.ts';
import { newId } from '../../../../shared/platform/basics/ids.ts';
import { ALL_SHARDS, accountKeys, shardKeys, shardOf } from '../../../../shared/platform/redis/keys.ts';
import { startProjector } from '../../../../workers/project-ledger.ts';
import { besideIt } from '../../../support/beside-transaction.ts';
import { openCredits, type TestAccount } from '../../../support/credits.ts';
import { openKeptLog, startApi, until } from '../../../support/harness.ts';

const fx = await openCredits();
const { ctx } = fx;
const GRANTED = { bucket: 'granted', delta: 3, reason: 'credit.grant', lot: ['lot_new', 0] };
const UNREADABLE = { ...GRANTED, reason: 'credit.lend' };

afterEach(() => vi.restoreAllMocks());

/** Spends a key, ends its answer as 48 h do, and spends it again: nothing of it is projected. */
async function repeatLate(account: TestAccount): Promise<void> {
  const key = randomUUID();
  await fx.spendOnce(account.token, { key });
  await fx.forgetAnswers(account.accountId);
  expect((await fx.spendOnce(account.token, { key })).replayed).toBe(false);
}

/** An entry as a release to come may write it. */
async function addEntry(
  { accountId, seq = 1 }: Pick<TestAccount, 'accountId'> & { seq?: number },
  ...rows: object[]
): Promise<string | null> {
  const { stream } = accountKeys(accountId);
  const entry = { account: accountId, seq, at: 1_800_000_000, rows: JSON.stringify(rows), idk: '' };
  return ctx.redis.producer.xadd(stream, '*', ...Object.entries(entry).flat());
}

/** An account whose stream holds an entry that this release cannot read, and a spend behind it; its balances stay readable. */
async function standStill() {
  const [account] = (await fx.makeAccountsApart(1)) as [TestAccount];
  const streamId = (await addEntry(account, UNREADABLE)) ?? '';
  await fx.spendOnce(account.token);
  const { stream } = accountKeys(account.accountId);
  /** The entry is taken away, so that the rest is projected. */
  const goOn = async () => {
    await ctx.redis.producer.xdel(stream, streamId);
    await fx.projectAll();
  };
  return { account, stream, goOn };
}

async function readGauge(gauge: Gauge): Promise<number | undefined> {
  return (await gauge.get()).values[0]?.value;
}

test.each([
  ['opens', recoverCredits],
  ['can be rebuilt', rebuildCredits],
])(
  'a Redis that restarts with late repeats in its stream %s, and they are taken back then',
  async (_what, recover) => {
    const account = await fx.makeAccount();
    for (let count = 0; count < 3; count += 1) await repeatLate(account);
    await fx.spendOnce(account.token);
    await fx.restartRedis();
    expect(await recover(ctx)).toMatchObject({ opened: 64 });
    await fx.projectAll();
    expect((await readBalances(ctx, account.accountId)).total).toBe(220 - 4);
    await fx.expectReplayed(account.accountId);
  },
);

test('what 63 shards do not need of a round goes to the one that is far behind', async () => {
  const adding = ctx.redis.producer.pipeline();
  for (const shard of ALL_SHARDS) {
    const entries = shard === 7 ? 900 : 1;
    for (let count = 0; count < entries; count += 1)
      adding.xadd(shardKeys(shard).stream, '*', 'rebuilt', '1');
  }
  await adding.exec();
  expect(await fx.projectLedger(ALL_SHARDS)).toBe(963);
});

test('lots of many accounts that expire at once are not one transaction, which would never end', async () => {
  const accountId = newId('usr');
  const rows = Array.from({ length: 100 }, () => ({ bucket: 'paid', delta: -1, reason: 'credit.expire' }));
  for (let seq = 1; seq < 30_000; seq += 100) await addEntry({ accountId, seq }, ...rows);
  await projectRound(ctx, ALL_SHARDS);
  expect(await ledgerRows(ctx).countDocuments({ account_id: accountId })).toBe(3_000);
  await ctx.redis.producer.del(accountKeys(accountId).stream);
});

test('a reader that writes to one shard meanwhile does not hold up the others', async () => {
  const [read, other] = (await fx.makeAccountsApart(2)) as [TestAccount, TestAccount];
  await Promise.all([read, other].map(({ token }) => fx.spendOnce(token)));
  const fences = ledgerFenceRows(ctx);
  const find = fences.find.bind(fences);
  let isFirst = true;
  vi.spyOn(fences, 'find').mockImplementation((...args) => {
    const cursor = find(...args);
    const toArray = cursor.toArray.bind(cursor);
    if (!isFirst || args[1]?.session === undefined) return cursor;
    isFirst = false;
    cursor.toArray = async () => {
      await besideIt(() => catchUp(ctx, read.accountId));
      return toArray();
    };
    return cursor;
  });
  expect(await fx.projectLedger(await fx.shardsWithEntries())).toBe(1);
  expect(await fx.shardsWithEntries()).toEqual([]);
  await fx.expectReplayed(other.accountId);
});

test('the lag shows while MongoDB is away, and shards that cannot be opened or that a rebuild holds', async () => {
  const account = await fx.makeAccount();
  await fx.spendOnce(account.token);
  await ctx.redis.producer.del(shardKeys(3).epoch);
  await ctx.redis.producer.set(shardKeys(5).epoch, 'held');
  vi.spyOn(ledgerFenceRows(ctx), 'find').mockImplementation(() => {
    throw new Error('MongoDB is away');
  });
  const stop = startProjector(ctx);
  await until(async () => ((await readGauge(ledgerLag(ctx))) ?? 0) > 0);
  expect(await readGauge(pausedShards(ctx))).toBe(2);
  await ctx.redis.producer.del(shardKeys(5).epoch);
  vi.restoreAllMocks();
  await until(async () => (await readGauge(pausedShards(ctx))) === 0);
  await until(async () => (await readGauge(ledgerLag(ctx))) === 0);
  await stop();
});

test('the api shows the lag and what is shut, though no worker runs', async () => {
  await fx.spendOnce((await fx.makeAccount()).token);
  await ctx.redis.producer.del(shardKeys(3).epoch);
  await until(async () => (await readShardStates(ctx)).some(({ waitedMs }) => waitedMs > 0));
  const api = await startApi({ ctx });
  const { text } = await api.call('/metrics', { key: ctx.config.operatorToken });
  expect(text).toMatch(/^governor_ledger_lag_seconds (?!0$)/m);
  expect(text).toMatch(/^governor_credit_shards_shut 1$/m);
  await api.close();
  await recoverCredits(ctx);
  await fx.projectAll();
});

describe('an entry of a newer release', () => {
  test('with a field that is not known goes into the ledger with it', async () => {
    const account = await fx.makeAccount();
    await addEntry(account, { ...GRANTED, campaign: 'spring' });
    await fx.projectAll();
    const rows = await ledgerRows(ctx).find({ account_id: account.accountId }).toArray();
    expect(rows).toMatchObject([{ seq: 1, delta: 3, campaign: 'spring' }]);
  });

  test('that cannot be read stops its own shard alone, aloud, and stays there', async () => {
    const [newer, other] = (await fx.makeAccountsApart(2)) as [TestAccount, TestAccount];
    const streamId = (await addEntry(newer, UNREADABLE)) ?? '';
    await fx.spendOnce(other.token);
    const { log, written } = openKeptLog();
    const stop = startProjector({ ...ctx, log });
    await until(async () => (await replayLedger(ctx, other.accountId)).seq > 0);
    await until(async () => (await readGauge(stalledShards(ctx))) === 1);
    expect(written()).toContain(streamId);
    expect(written()).toContain('Invalid option');
    // A restart finds nothing lost there: every shard opens.
    await fx.restartRedis();
    await until(async () => (await findPausedShards(ctx).catch(() => null))?.size === 0);
    // A worker would open the shard that the rebuild lets go of.
    await stop();
    await expect(rebuildCredits(ctx)).rejects.toThrow(`Not rebuilt: shards ${shardOf(newer.accountId)}.`);
    await expect(catchUp(ctx, newer.accountId)).rejects.toMatchObject({ code: 'store_unavailable' });
    const { stream, epoch } = accountKeys(newer.accountId);
    expect(await ctx.redis.producer.xlen(stream)).toBe(1);
    await ctx.redis.producer.del(stream, epoch);
    await recoverCredits(ctx);
  });
});

test('what waits behind an entry that cannot be read is no drift, and a repair and a rebuild leave it, so that it is counted once', async () => {
  // Without the mark that an opened shard may begin with.
  await fx.projectAll();
  const { account, stream, goOn } = await standStill();
  const { accountId } = account;
  const waiting = await ctx.redis.producer.xlen(stream);
  const { balances } = await readBalances(ctx, accountId);
  const { drifted, unchecked, repaired } = await reconcileCredits(ctx, { repair: true });
  expect([drifted, repaired]).toEqual([[], 0]);
  expect(unchecked).toBeGreaterThan(0);
  expect(await ctx.redis.producer.xlen(stream)).toBe(waiting);
  await expect(rebuildCredits(ctx)).rejects.toThrow(`Not rebuilt: shards ${shardOf(accountId)}.`);
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 1, failed: 0 });
  expect((await readBalances(ctx, accountId)).balances).toEqual(balances);
  await goOn();
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([]);
});

test('an account that Redis lost while its shard stands still is not made anew, and its ledger is not shown without its end', async () => {
  const { account, goOn } = await standStill();
  const { accountId, orgId, userId } = account;
  const { account: key } = accountKeys(accountId);
  const lost = await ctx.redis.producer.hgetall(key);
  await ctx.redis.producer.del(key);
  const unavailable = { code: 'store_unavailable' };
  const made = ensureAccount(ctx, { _id: accountId, org_id: orgId, user_id: userId });
  await expect(made).rejects.toMatchObject(unavailable);
  await expect(catchUp(ctx, accountId)).rejects.toMatchObject(unavailable);
  // A member without an account has an empty ledger, also there.
  await creditAccountRows(ctx).deleteOne({ _id: accountId });
  expect(await catchUp(ctx, accountId)).toBe(0);
  await ctx.redis.producer.hset(key, lost);
  await goOn();
});

test('of many who wait for the ledger of an account at once, those that move nothing wait for the one that does', async () => {
  const account = await fx.makeAccount();
  for (let time = 0; time < 3; time += 1) {
    await fx.spendOnce(account.token);
    const seqs = await Promise.all(Array.from({ length: 8 }, () => catchUp(ctx, account.accountId)));
    expect(new Set(seqs).size).toBe(1);
  }
  await fx.expectReplayed(account.accountId);
});

test('many late repeats share the search for the window that they came from, so that nobody waits for them', async () => {
  const account = await fx.makeAccount();
  const keys = Array.from({ length: 100 }, () => randomUUID());
  const spendAll = () => Promise.all(keys.map((key) => fx.spendSurely(account.token, key)));
  await spendAll();
  await fx.projectAll();
  await fx.forgetAnswers(account.accountId);
  await spendAll();
  const looks = vi.spyOn(ledgerRows(ctx), 'find');
  const searches = vi.spyOn(ledgerRows(ctx), 'aggregate');
  await fx.projectAll();
  expect(looks.mock.calls.length).toBeLessThan(120);
  expect(searches.mock.calls.length).toBeLessThan(80);
  expect((await readBalances(ctx, account.accountId)).total).toBe(220 - 100);
  await fx.expectReplayed(account.accountId);
});

test('an entry that cannot be written stops its own shard alone', async () => {
  const [bad, other] = (await fx.makeAccountsApart(2)) as [TestAccount, TestAccount];
  const row = { delta: 1, bucket: 'granted', reason: 'credit.grant' } as const;
  const known = { _id: 'another' as never, account_id: bad.accountId, seq: 1, created_at: 1, ...row };
  await fx.projectAll();
  await ledgerRows(ctx).insertOne(known);
  await addEntry(bad, row, row);
  await fx.spendOnce(other.token);
  const round = await projectRound(ctx, ALL_SHARDS);
  expect([round.moved, [...round.stalled.keys()]]).toEqual([1, [shardOf(bad.accountId)]]);
  await fx.expectReplayed(other.accountId);
  expect(await ctx.redis.producer.del(accountKeys(bad.accountId).stream)).toBe(1);
});

test('an account whose ledger has a gap keeps its own shard shut and no other', async () => {
  const [broken, other] = (await fx.makeAccountsApart(2)) as [TestAccount, TestAccount];
  await Promise.all([broken, other].map(({ token }) => fx.spendOnce(token)));
  await fx.projectAll();
  await ledgerRows(ctx).deleteOne({ account_id: broken.accountId, seq: 2 });
  await ctx.redis.producer.flushall();
  const { log, written } = openKeptLog();
  expect(await recoverCredits({ ...ctx, log })).toMatchObject({ opened: 63, failed: 1 });
  expect(written()).toContain(broken.accountId);
  expect([...(await findPausedShards(ctx)).keys()]).toEqual([shardOf(broken.accountId)]);
  await fx.expectReplayed(other.accountId);
});
