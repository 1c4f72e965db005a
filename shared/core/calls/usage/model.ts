import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { nullable, only, optional } from '../../../platform/mongo/fields.ts';
import { daysBefore, retentionRule } from '../../../platform/mongo/retention.ts';
import { userId } from '../../accounts/organizations/user-id.ts';

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

/** The dimensions that questions filter and group by. */
export const DIMENSIONS = ['user_id', 'project_id', 'model', 'adapter'] as const;

export const CELL_DIMENSIONS = [...DIMENSIONS, 'provider'] as const;

export const ROLLUP_DIMENSIONS = [...CELL_DIMENSIONS, 'work'] as const;
export type Dimensions = Pick<Rollup, (typeof ROLLUP_DIMENSIONS)[number]>;

/** The dimensions of a snapshot's totals: there are few values of both. */
export const TOTAL_DIMENSIONS = ['model', 'adapter'] as const;

export const rollupRows = collection('rollups', {
  about: 'The sums of a quarter hour or a day by user, project, model, adapter, provider and work.',
  fields: {
    /** `rollupKey(...)`. */
    _id: String,
    org_id: String,
    period: only<RollupPeriod>(String),
    start: Date,
    user_id: userId,
    project_id: String,
    model: String,
    adapter: String,
    /** By its price-list id, else by its own name. Rollups of earlier versions have none: they are of their model's provider. */
    provider: optional(String),
    /** The id of the work. Sessions, and signals that belong to none, count in rows without one. */
    work: optional(String),
    tokens_in: Number,
    tokens_out: Number,
    cache_read_tokens: Number,
    cache_write_tokens: Number,
    cost_nusd: Number,
    sessions: Number,
    signals: Number,
    errors: Number,
    interventions: Number,
    unpriced_signals: Number,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    { key: { org_id: 1, period: 1, start: 1 } },
    // The rollups of one user, however many others there are.
    { key: { org_id: 1, period: 1, user_id: 1, start: 1 } },
    // The rollups of one work, for what a pull request has cost. `$exists` would not do (docs/stores.md).
    { key: { work: 1, period: 1, start: 1 }, partialFilterExpression: { work: { $gt: '' } } },
  ],
});

/** Sums over one period for one (user, project, model, adapter, provider, work). Always equal to the signals below it. */
export interface Rollup extends RowOf<typeof rollupRows> {}

export const snapshotRows = collection('usage_snapshots', {
  about: 'The sums of a closed day or month in one row, made of its rollups.',
  fields: {
    /** `snapshotKey(...)`. */
    _id: String,
    org_id: String,
    period: only<SnapshotPeriod>(String),
    start: Date,
    /** Grows whenever the row is made or marked: two reads of one version that is not stale read the same sums. */
    version: Number,
    /** Rollups have changed since it was made, or it was never made. A stale row holds no sums. */
    is_stale: Boolean,
    /** Sums by `TOTAL_DIMENSIONS` as `packCells` writes them. Null when they are too many for one row. */
    totals: optional(nullable(String)),
    /** Sums by `CELL_DIMENSIONS`, likewise; where `dimensions` is absent, by `DIMENSIONS`. */
    cells: optional(nullable(userId)),
    /** Sums by `ROLLUP_DIMENSIONS`, likewise. Absent when no call of the period belongs to a work: then the cells have them. */
    works: optional(nullable(userId)),
    /** How many dimensions its cells have. */
    dimensions: optional(Number),
  },
  shardKey: { _id: 1 },
});

/**
 * The sums of one closed day or month as one row, so that a question about many of them reads few rows
 * (docs/usage.md). A late signal marks it stale in the signal's own transaction; then the rollups answer until it is
 * made again. Read by primary key only.
 */
export interface Snapshot extends RowOf<typeof snapshotRows> {}

/** Quarter hours are kept for 36 days: they are read for 35, and no reader meets the purge. Days and months stay. */
export const quarterHourRetention = retentionRule('quarter_hours', rollupRows, {
  isPerOrganization: true,
  kept: 'quarter hours 36 days after `start`, days for ever',
  old: (_config, nowMs) => ({
    filter: { period: 'quarter_hour' as const, start: { $lt: daysBefore(nowMs - SIGNAL_AGE_MS.behind, 1) } },
    ageField: 'start',
  }),
});
