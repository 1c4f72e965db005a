import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { changeCredits } from '../meter/change-credits.ts';
import { keyDigest } from '../meter/idempotency.ts';
import { type LedgerRow, ledgerRows, transactionId } from '../model.ts';
import { type LedgerTransaction, toTransaction } from './transaction.ts';
import { walkLedger } from './walk-ledger.ts';

/**
 * Gives a spend's credit back, once however often it is asked for: to where it came from while that runs, else as a
 * granted one that does not expire. `transaction` is its id in the ledger. Throws `not_found`, `conflict` when the row is
 * no spend, and as `changeCredits`.
 */
export async function refundSpend(
  ctx: Context,
  accountId: string,
  transaction: string,
): Promise<LedgerTransaction> {
  const row = await ledgerRows(ctx).findOne({ _id: transaction, account_id: accountId });
  if (!row) throw new DomainError('not_found', 'There is no such transaction in the ledger of this member.');
  if (row.reason !== 'receipt') throw new DomainError('conflict', 'Only a spend can be refunded.');
  return refundRow(ctx, row, { isLate: false, resets: new Map() });
}

/** By account and bucket, the last reset before some row of it. */
export type Resets = Map<string, { seq: number; before: number; period: LedgerRow['period'] }>;

/**
 * Reverses the spend of a key that had been answered for the same output before. If its window or lot has expired, the
 * refunded credit expires too, as it would have unspent. `resets` keeps the resets that were found for earlier rows.
 */
export async function reverseLateRepeat(ctx: Context, row: LedgerRow, resets: Resets): Promise<void> {
  await refundRow(ctx, row, { isLate: true, resets });
  ctx.log.info({ account_id: row.account_id, seq: row.seq }, 'a late repeat of a spend was reversed');
}

async function refundRow(
  ctx: Context,
  row: LedgerRow,
  { isLate, resets }: { isLate: boolean; resets: Resets },
): Promise<LedgerTransaction> {
  const { account_id: accountId } = row;
  const idk = keyDigest(accountId, 'refund', row.seq);
  // Redis forgets a refund after 48 h, the ledger never.
  const known = await ledgerRows(ctx).findOne({ idk, account_id: accountId });
  if (known) return toTransaction(known);
  const [lotId, lotExpiresMs] = row.lot ?? ['', 0];
  const [startMs, endMs] = (await periodOf(ctx, row, resets)) ?? ['', lotExpiresMs];
  const { outcome } = await changeCredits(ctx, {
    accountId,
    command: 'refund',
    args: [row.bucket, startMs, lotId, lotExpiresMs, isLate ? endMs : 0],
    idempotency: { idk, fingerprint: idk },
  });
  if (!outcome) throw new Error(`The refund of ${transactionId(accountId, row.seq)} has no outcome`);
  return toTransaction(outcome);
}

/** The last row that matches. It is mostly near. */
const SEARCH = { bottom: 1, limit: 1, first: 100, longest: 1_000, fields: { seq: 1, period: 1 } } as const;

/** The window or month that ran when a row was written: the last reset before it opened it. */
async function periodOf(ctx: Context, row: LedgerRow, resets: Resets): Promise<LedgerRow['period']> {
  const { account_id, bucket } = row;
  if (bucket !== 'window' && bucket !== 'monthly') return undefined;
  const name = `${account_id}:${bucket}`;
  const known = resets.get(name);
  if (known && known.seq < row.seq && row.seq < known.before) return known.period;
  const search = { ...SEARCH, top: row.seq - 1, reason: `${bucket}.reset` } as const;
  for await (const [reset] of walkLedger<LedgerRow>(ctx, account_id, search)) {
    if (reset) resets.set(name, { seq: reset.seq, before: row.seq, period: reset.period });
    return reset?.period;
  }
  return undefined;
}
