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

export type RollupPeriod = 'quarter_hour' | 'day';

/** The periods that are kept as snapshots once they have closed. A month has no rollups: it is its days. */
export type SnapshotPeriod = 'day' | 'month';

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

export const DIMENSIONS = ['user_id', 'project_id', 'model', 'adapter'] as const;
/** The dimensions of a rollup within its period. */
export type Dimensions = Pick<Rollup, (typeof DIMENSIONS)[number]>;

/** The dimensions of a snapshot's totals: there are few values of both. */
export const TOTAL_DIMENSIONS = ['model', 'adapter'] as const;

/**
 * The sums of one closed day or month as one row, so that a question about many of them reads few rows
 * (docs/usage.md). A late signal marks it stale in the signal's own transaction; then the rollups answer until it is
 * made again. Read by primary key only.
 */
export interface Snapshot {
  /** `snapshotKey(...)`. */
  _id: string;
  org_id: string;
  period: SnapshotPeriod;
  start: Date;
  /** Grows whenever the row is made or marked: two reads of one version that is not stale read the same sums. */
  version: number;
  /** Rollups have changed since it was made, or it was never made. A stale row holds no sums. */
  is_stale: boolean;
  /** Sums by `TOTAL_DIMENSIONS` as `packCells` writes them. Null when they are too many for one row. */
  totals?: string | null;
  /** Sums by `DIMENSIONS`, likewise. */
  cells?: string | null;
}

export const rollupRows = collection<Rollup>('rollups', {
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    { key: { org_id: 1, period: 1, start: 1 } },
    // The rollups of one user, however many others there are.
    { key: { org_id: 1, period: 1, user_id: 1, start: 1 } },
  ],
});

export const snapshotRows = collection<Snapshot>('usage_snapshots', { shardKey: { _id: 1 } });
