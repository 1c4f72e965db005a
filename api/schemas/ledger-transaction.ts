import { z } from 'zod';
import { BUCKETS, REASONS } from '../../shared/credits/meter/model.ts';

/** A row of the credit ledger as callers see it. */
export const ledgerTransaction = z.strictObject({
  delta: z.int().describe('Negative when spent'),
  bucket: z.enum(BUCKETS),
  reason: z.enum(REASONS),
  created_at: z.int().describe('Unix seconds'),
});
