import { z } from 'zod';
import { usd4 } from '../pricing/money.ts';
import { MEASURES, type Measures } from './model.ts';

/** Sums of measures. Nano-USD pass 2^53 in a large organization's year, so money is a BigInt here. */
export type Sums = Record<Exclude<keyof Measures, 'cost_nusd'>, number> & { cost_nusd: bigint };

export const COUNTS = MEASURES.filter((measure) => measure !== 'cost_nusd');

const ZEROS = { ...Object.fromEntries(COUNTS.map((measure) => [measure, 0])), cost_nusd: 0n } as Sums;

/** Sums of nothing. */
export function noSums(): Sums {
  return { ...ZEROS };
}

/** Adds sums to others, in place. */
export function addSums(to: Sums, from: Sums): void {
  for (const measure of COUNTS) to[measure] += from[measure];
  to.cost_nusd += from.cost_nusd;
}

/** Whether nothing is left in sums. */
export function isZero(sums: Sums): boolean {
  return sums.cost_nusd === 0n && COUNTS.every((measure) => sums[measure] === 0);
}

/** The accumulators of a `$group` that sums every measure exactly. Read it with `useBigInt64`. */
export const SUM_STAGE = {
  ...Object.fromEntries(COUNTS.map((measure) => [measure, { $sum: `$${measure}` }])),
  cost_nusd: { $sum: { $toLong: '$cost_nusd' } },
};

/** A row of such a `$group`: 64-bit integers arrive as BigInt, smaller ones as numbers. */
export function sumsOf(row: Record<string, unknown>): Sums {
  const counts = Object.fromEntries(COUNTS.map((measure) => [measure, Number(row[measure] ?? 0)]));
  return { ...counts, cost_nusd: BigInt((row.cost_nusd as bigint | number | undefined) ?? 0) } as Sums;
}

const count = z.int().min(0);

/** The measures as the API shows them. */
export const measuresView = {
  sessions: count.describe('Sessions that started in the period'),
  signals: count,
  errors: count,
  interventions: count,
  tokens_in: count,
  tokens_out: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  cost_usd: z.number().describe('Of the signals whose price is known'),
  unpriced_signals: count.describe('Signals whose price is not known'),
};

/** Sums as the API shows them (`measuresView`). */
export function viewSums(sums: Sums) {
  const { cost_nusd, unpriced_signals, ...counts } = sums;
  return { ...counts, cost_usd: usd4(cost_nusd), unpriced_signals };
}
