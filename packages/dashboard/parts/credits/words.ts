import type { Bucket, Reason } from '../../../../shared/core/credits/buckets.ts';

export const BUCKET_NAMES: Record<Bucket, string> = {
  window: 'Window',
  monthly: 'Monthly',
  paid: 'Paid',
  granted: 'Granted',
};

/** The reasons of the ledger as people say them. */
export const REASON_WORDS: Record<Reason, string> = {
  receipt: 'Spent',
  'credit.grant': 'Granted',
  'credit.purchase': 'Bought',
  'window.reset': 'New window',
  'monthly.reset': 'New month',
  'credit.expire': 'Expired',
  'credit.refund': 'Given back',
  'credit.adjust': 'Corrected',
};

const UNITS = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A length of time in its two largest units: 5 hours, 1 hour 30 minutes. Pure. */
export function lengthWords(seconds: number): string {
  let left = Math.round(seconds);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    if (count === 0) {
      if (parts.length > 0) break;
      continue;
    }
    parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
    left -= count * size;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? 'a moment' : parts.join(' ');
}
