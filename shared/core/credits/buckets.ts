/** The buckets in the order in which they are spent. `consume.lua` has the same order, and `bucket-order.test.ts` compares the two. */
export const BUCKETS = ['window', 'monthly', 'paid', 'granted'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Why a bucket changed. */
export const REASONS = [
  'receipt',
  'credit.grant',
  'credit.purchase',
  'window.reset',
  'monthly.reset',
  'credit.expire',
  'credit.refund',
  'credit.adjust',
] as const;
export type Reason = (typeof REASONS)[number];
