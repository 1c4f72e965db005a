import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { changeCredits } from './change.ts';
import { digest } from './digest.ts';
import { type LedgerRow, ledgerRows } from './model.ts';

/**
 * Gives a spend's credit back, once however often it is asked for: to where it came from while that runs, else as a
 * granted one that does not expire. Throws `not_found`, `conflict` when the row is no spend, and as `changeCredits`.
 */
export async function refundSpend(ctx: Context, accountId: string, seq: number): Promise<string> {
  const row = await ledgerRows(ctx).findOne({ account_id: accountId, seq });
  if (!row) throw new DomainError('not_found', 'There is no such row in the ledger.');
  if (row.reason !== 'receipt') throw new DomainError('conflict', 'Only a spend can be refunded.');
  return refundRow(ctx, row, { isLate: false });
}

/**
 * Takes back the spend of a key that had been answered for the same output before. Where it came from may be over by
 * now: then what comes back is over too, as the credit would be had it not been spent.
 */
export async function refundLateRepeat(ctx: Context, row: LedgerRow): Promise<void> {
  await refundRow(ctx, row, { isLate: true });
  ctx.log.info({ account_id: row.account_id, seq: row.seq }, 'a late repeat of a spend was taken back');
}

async function refundRow(ctx: Context, row: LedgerRow, { isLate }: { isLate: boolean }): Promise<string> {
  const idk = digest('refund', row.seq);
  const done = await ledgerRows(ctx).findOne({ _id: `${row.account_id}:${idk}` });
  if (done) return JSON.stringify(viewRow(done));
  const [lotId, lotExpiresMs] = row.lot ?? ['', 0];
  const [startMs, endMs] = (await periodOf(ctx, row)) ?? ['', lotExpiresMs];
  const { answer } = await changeCredits(ctx, {
    accountId: row.account_id,
    idk,
    fingerprint: digest('refund', row.seq),
    operation: ['refund', row.bucket, startMs, lotId, lotExpiresMs, isLate ? endMs : 0],
  });
  return answer;
}

/** The window or month that ran when a row was written: what the last reset before it opened. */
async function periodOf(ctx: Context, row: LedgerRow): Promise<LedgerRow['period']> {
  if (row.bucket !== 'window' && row.bucket !== 'monthly') return undefined;
  const wanted = `${row.bucket}.reset`;
  for (let to = row.seq; to > 0; to -= 1_000) {
    const range = { account_id: row.account_id, seq: { $gte: to - 1_000, $lt: to } };
    const rows = await ledgerRows(ctx).find(range).sort({ seq: -1 }).toArray();
    const reset = rows.find((candidate) => candidate.reason === wanted);
    if (reset) return reset.period;
  }
  return undefined;
}

/** A row as the contract has it (interface 2.5). */
export function viewRow({ delta, bucket, reason, created_at }: LedgerRow) {
  return { delta, bucket, reason, created_at };
}
