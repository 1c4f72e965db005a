import { expect } from 'vitest';
import { replayLedger } from '../../../shared/core/credits/ledger/replay.ts';
import { readAccount } from '../../../shared/core/credits/meter/account-record.ts';
import { storedBalances } from '../../../shared/core/credits/meter/account-state.ts';
import { keyDigest } from '../../../shared/core/credits/meter/idempotency.ts';
import { type LedgerRow, ledgerRows } from '../../../shared/core/credits/model.ts';
import { shardsWithEntries, type TestAccount, untilOpen, untilRedisIsBack } from '../credits.ts';
import { type TestContext, until } from '../harness.ts';
import { type Attempt, spendByHttp } from './load.ts';

/**
 * The invariants of a drill, once its workers have opened every shard and brought the ledger up: every acknowledged spend is
 * in the ledger once and nothing else is (I1), ledger and balance agree and are never negative (I2), rows have no gap (I3,
 * by the fold), a repeat is byte-identical (I4), and buckets were taken in their order (I7).
 */
export async function checkCredits(
  ctx: TestContext,
  url: string,
  accounts: readonly TestAccount[],
  attempts: readonly Attempt[],
): Promise<void> {
  await untilRedisIsBack(ctx);
  await untilOpen(ctx);
  await until(async () => (await shardsWithEntries(ctx)).length === 0, {
    what: 'a worker to move every spend into the ledger',
  });
  let written = 0;
  for (const account of accounts) {
    const rows = await ledgerRows(ctx).find({ account_id: account.accountId }).sort({ seq: 1 }).toArray();
    const state = (await readAccount(ctx, account.accountId))?.state;
    expect(await replayLedger(ctx, account.accountId)).toEqual(state);
    if (state) expect(Math.min(...Object.values(storedBalances(state)))).toBeGreaterThanOrEqual(0);
    const mine = attempts.filter((attempt) => attempt.account.accountId === account.accountId);
    const acknowledged = mine.filter((attempt) => attempt.answer !== null);
    const spent = rows.filter((row) => row.reason === 'receipt').map((row) => row.idk ?? '');
    expect(spent.sort()).toEqual(
      acknowledged.map(({ key }) => keyDigest(account.accountId, 'consume', key)).sort(),
    );
    expect(bucketsInOrder(rows)).toBe(true);
    written += spent.length;
  }
  const answered = attempts.filter(({ answer }) => answer !== null).length;
  console.log(`${attempts.length} spends, ${answered} answered with 200, ${written} in the ledger`);
  for (const attempt of attempts.filter(({ answer }) => answer !== null).slice(-50)) {
    const before = attempt.answer;
    await until(async () => (await spendByHttp(url, attempt)) === 200);
    expect(attempt.answer).toBe(before);
  }
}

/** Nothing is taken from a bucket while one before it has credits, period by period. */
function bucketsInOrder(rows: readonly LedgerRow[]): boolean {
  const order = ['window', 'monthly', 'paid', 'granted'] as const;
  const held: Record<(typeof order)[number], number> = { window: 0, monthly: 0, paid: 0, granted: 0 };
  return rows.every((row) => {
    const isRight = row.reason !== 'receipt' || order.find((bucket) => held[bucket] > 0) === row.bucket;
    held[row.bucket] += row.delta;
    return isRight;
  });
}
