import { z } from 'zod';
import { usd4 } from '../../pricing/money.ts';
import { MEASURES, type Measures } from './model.ts';

const NO_MEASURES = Object.fromEntries(MEASURES.map((measure) => [measure, 0])) as Measures;

/** Nothing counted. */
export function noMeasures(): Measures {
  return { ...NO_MEASURES };
}

/** The measures of a row, without its other fields. */
export function measuresIn(row: Measures): Measures {
  const measures = noMeasures();
  addMeasures(measures, row);
  return measures;
}

export function addMeasures(row: Measures, measures: Partial<Measures>): void {
  for (const measure of MEASURES) row[measure] += measures[measure] ?? 0;
}

/** Adds a row's measures to those of the row with its `_id`, or puts it there. */
export function addRow<Row extends Measures & { _id: string }>(rows: Map<string, Row>, row: Row): void {
  const known = rows.get(row._id);
  if (known) addMeasures(known, row);
  else rows.set(row._id, { ...row });
}

/** Sums of measures. Nano-USD pass 2^53 in a large organization's year, so money is a BigInt here. */
export type Sums = Record<Exclude<keyof Measures, 'cost_nusd'>, number> & { cost_nusd: bigint };

export const COUNTS = MEASURES.filter((measure) => measure !== 'cost_nusd');

const ZEROS = { ...Object.fromEntries(COUNTS.map((measure) => [measure, 0])), cost_nusd: 0n } as Sums;

export function noSums(): Sums {
  return { ...ZEROS };
}

/** Adds sums to others, or takes them away with the sign -1, in place. */
export function addSums(to: Sums, from: Sums, sign: 1 | -1 = 1): void {
  to.sessions += sign * from.sessions;
  to.signals += sign * from.signals;
  to.errors += sign * from.errors;
  to.interventions += sign * from.interventions;
  to.tokens_in += sign * from.tokens_in;
  to.tokens_out += sign * from.tokens_out;
  to.cache_read_tokens += sign * from.cache_read_tokens;
  to.cache_write_tokens += sign * from.cache_write_tokens;
  to.unpriced_signals += sign * from.unpriced_signals;
  to.cost_nusd += sign === 1 ? from.cost_nusd : -from.cost_nusd;
}

export function isZero(row: Measures | Sums): boolean {
  return MEASURES.every((measure) => !row[measure]);
}

/** The accumulators of a `$group` that sums every measure exactly. Read it with `useBigInt64`. */
export const SUM_STAGE = {
  ...Object.fromEntries(COUNTS.map((measure) => [measure, { $sum: `$${measure}` }])),
  cost_nusd: { $sum: { $toLong: '$cost_nusd' } },
};

/** The sums in a row of such a `$group`, or in a rollup. 64-bit integers arrive as BigInt, smaller ones as numbers. */
export function sumsOf(row: object): Sums {
  const sums = noSums();
  const read = (measure: keyof Measures): bigint | number => Reflect.get(row, measure) ?? 0;
  for (const measure of COUNTS) sums[measure] = Number(read(measure));
  sums.cost_nusd = BigInt(read('cost_nusd'));
  return sums;
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
  cost_usd: z.number().describe('The cost of the signals whose price is known'),
  unpriced_signals: count.describe('Signals whose price is not known'),
};

/** Sums as the API shows them (`measuresView`). */
export function viewSums(sums: Sums) {
  const { cost_nusd, unpriced_signals, ...counts } = sums;
  return { ...counts, cost_usd: usd4(cost_nusd), unpriced_signals };
}
