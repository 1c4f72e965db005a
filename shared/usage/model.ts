import { collection } from '../platform/mongo/collection.ts';

export const MEASURES = [
  'sessions',
  'signals',
  'errors',
  'interventions',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_nusd',
  'unpriced_signals',
] as const;
export type Measures = Record<(typeof MEASURES)[number], number>;

export type RollupPeriod = 'quarter_hour' | 'day' | 'month';

/** Sums over one period for one (user, project, model, adapter). Always equal to the signals below it. */
export interface Rollup extends Measures {
  /** `rollupKey(...)`. */
  _id: string;
  org_id: string;
  period: RollupPeriod;
  start: Date;
  user_id: string;
  project_id: string;
  model: string;
  adapter: string;
}

/**
 * The same sums over all users and projects, so that an organization's calendar is read from a few rows. A total is
 * spread over slots, one of them written by each process (ADR 0053): its value is their sum.
 */
export interface Total extends Measures {
  /** `totalKey(...)`, which names the slot. */
  _id: string;
  org_id: string;
  period: RollupPeriod;
  start: Date;
  model: string;
  adapter: string;
  /**
   * Grows with every transaction that changes a rollup below it. So the sum over a period's totals tells whether any
   * of its rollups has changed.
   */
  writes: number;
}

export const DIMENSIONS = ['user_id', 'project_id', 'model', 'adapter'] as const;
/** What a rollup is of, within its period. */
export type Dimensions = Pick<Rollup, (typeof DIMENSIONS)[number]>;

/**
 * The rollups of one day or month as one row, so that many are read at once (ADR 0060). It counts only while its
 * version is that of the period; what holds are the rollups.
 */
export interface Sheet {
  /** `sheetKey(...)`. */
  _id: string;
  org_id: string;
  period: RollupPeriod;
  start: Date;
  /** Sum of `writes` over the period's totals when it was made. */
  version: number;
  /** JSON: for each of `DIMENSIONS` the list of its values that occur. */
  values: string;
  /**
   * Float64, little-endian, rollup after rollup: where in `values` its dimensions' values are, in the order of
   * `DIMENSIONS`, then its measures in the order of `MEASURES`.
   */
  cells: Buffer;
}

export const rollupRows = collection<Rollup>('rollups', {
  indexes: [
    { key: { org_id: 1, period: 1, start: 1 } },
    // What one user did, however many others there are.
    { key: { org_id: 1, period: 1, user_id: 1, start: 1 } },
  ],
});

export const usageTotalRows = collection<Total>('usage_totals', {
  indexes: [{ key: { org_id: 1, period: 1, start: 1 } }],
});

/** Read by primary key only. */
export const usageSheetRows = collection<Sheet>('usage_sheets', {});

/** A sheet's fields as they are worked with; the dimensions in the order of `DIMENSIONS`. */
export interface OpenSheet {
  values: readonly (readonly string[])[];
  cells: Float64Array;
}
