import { z } from 'zod';
import { BUCKETS, REASONS } from '../buckets.ts';
import type { LedgerRow } from '../model.ts';

/** A ledger row as callers see it. */
export const ledgerTransaction = z.strictObject({
  delta: z.int().describe('Negative when spent'),
  bucket: z.enum(BUCKETS),
  reason: z.enum(REASONS),
  created_at: z.int().describe('Unix seconds'),
});
export type LedgerTransaction = z.output<typeof ledgerTransaction>;

/** A ledger row, or the outcome that will be one, as callers see it. */
export function toTransaction({ delta, bucket, reason, created_at }: LedgerTransaction): LedgerTransaction {
  return { delta, bucket, reason, created_at };
}

/** A ledger row as its owner sees it; with its receipt also its id and, of a spend, the device and the signed receipt. */
export function viewTransaction(
  row: Pick<LedgerRow, '_id' | 'delta' | 'bucket' | 'reason' | 'created_at' | 'device_id' | 'receipt'>,
  { withReceipt }: { withReceipt: boolean },
): LedgerTransaction & { id?: string; device_id?: string; receipt?: string } {
  if (!withReceipt) return toTransaction(row);
  const { _id, device_id, receipt } = row;
  const spend = device_id === undefined || receipt === undefined ? {} : { device_id, receipt };
  return { id: _id, ...toTransaction(row), ...spend };
}
