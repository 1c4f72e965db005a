import { z } from 'zod';
import { BUCKETS, REASONS } from '../buckets.ts';
import type { LedgerItem } from '../model.ts';

/** A ledger row as callers see it. */
export const ledgerTransaction = z.strictObject({
  delta: z.int().describe('Negative when spent'),
  bucket: z.enum(BUCKETS),
  reason: z.enum(REASONS),
  created_at: z.int().describe('Unix seconds'),
});
const ledgerDetails = ledgerTransaction.extend({
  id: z.string(),
  device_id: z.string().optional(),
  balance_after: z.int().nullable(),
});
export type LedgerTransaction = z.output<typeof ledgerTransaction>;

/** A ledger row, or the outcome that will be one, as callers see it. */
export function toTransaction({ delta, bucket, reason, created_at }: LedgerTransaction): LedgerTransaction {
  return { delta, bucket, reason, created_at };
}

/**
 * Views ledger rows, newest first, each with the device of a spend and the credits of all buckets that were left after it. The
 * last one of rows that were written together has them: those before it follow from it. Null where neither is there.
 */
export function detailsOf(): (row: LedgerItem) => z.output<typeof ledgerDetails> {
  let newer: { seq: number; before: number | null } | undefined;
  return (row) => {
    const { _id, seq, delta, device_id, balance } = row;
    const derived = newer?.seq === seq + 1 ? newer.before : null;
    const balance_after = balance ? balance.reduce((sum, credits) => sum + credits, 0) : derived;
    newer = { seq, before: balance_after === null ? null : balance_after - delta };
    return {
      id: _id,
      ...toTransaction(row),
      ...(device_id === undefined ? {} : { device_id }),
      balance_after,
    };
  };
}
