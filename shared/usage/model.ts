import { Schema } from 'mongoose';

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
}

const sums = Object.fromEntries(MEASURES.map((measure) => [measure, { type: Number, default: 0 }]));

export const rollupSchema = new Schema<Rollup>(
  {
    _id: { type: String, required: true },
    org_id: String,
    period: String,
    start: Date,
    user_id: String,
    project_id: String,
    model: String,
    adapter: String,
    ...sums,
  },
  { suppressReservedKeysWarning: true },
);
rollupSchema.index({ org_id: 1, period: 1, start: 1 });
// What one user did, however many others there are.
rollupSchema.index({ org_id: 1, period: 1, user_id: 1, start: 1 });

export const totalSchema = new Schema<Total>(
  {
    _id: { type: String, required: true },
    org_id: String,
    period: String,
    start: Date,
    model: String,
    adapter: String,
    ...sums,
  },
  { suppressReservedKeysWarning: true },
);
totalSchema.index({ org_id: 1, period: 1, start: 1 });
