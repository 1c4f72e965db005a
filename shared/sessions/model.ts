import { Schema } from 'mongoose';

/** A run of activity of one user in one project with one adapter. */
export interface Session {
  _id: string;
  org_id: string;
  user_id: string;
  project_id: string;
  adapter: string;
  /** `sessionKey(...)` of the four above. */
  key: string;
  state: 'open' | 'ended';
  end_reason: 'timeout' | 'closed' | null;
  started_at: Date;
  last_activity_at: Date;
  /** Last activity, or the moment of an explicit close: never before the last activity. */
  ended_at: Date;
  /** While open: when silence ends it. */
  close_due_at: Date | null;
  /** The model with the most tokens; `unknown` when no signal named one. */
  model: string;
  /** In the order of first use. */
  model_tokens: { model: string; tokens: number; first_at: Date }[];
  tokens_in: number;
  tokens_out: number;
  cost_nusd: number;
  unpriced_signals: number;
  signal_count: number;
  error_count: number;
  intervention_count: number;
  /** When anomalies are to be looked for next; absent while nothing has changed since the last look. */
  check_due_at?: Date;
  checked_at?: Date;
}

export const sessionSchema = new Schema<Session>({
  _id: { type: String, required: true },
  org_id: String,
  user_id: String,
  project_id: String,
  adapter: String,
  key: String,
  state: String,
  end_reason: String,
  started_at: Date,
  last_activity_at: Date,
  ended_at: Date,
  close_due_at: Date,
  model: String,
  model_tokens: [{ _id: false, model: String, tokens: Number, first_at: Date }],
  tokens_in: Number,
  tokens_out: Number,
  cost_nusd: Number,
  unpriced_signals: Number,
  signal_count: Number,
  error_count: Number,
  intervention_count: Number,
  check_due_at: Date,
  checked_at: Date,
});
// Only the newest session of a key may be open.
sessionSchema.index({ key: 1 }, { unique: true, partialFilterExpression: { state: 'open' } });
// Which sessions of a key reach up to a moment.
sessionSchema.index({ key: 1, ended_at: 1 });
// What the sweeper looks for.
sessionSchema.index({ state: 1, close_due_at: 1 }, { partialFilterExpression: { state: 'open' } });
// One per list filter: a page reads a bounded range of one of them.
sessionSchema.index({ org_id: 1, started_at: 1, _id: 1 });
sessionSchema.index({ org_id: 1, user_id: 1, started_at: 1, _id: 1 });
sessionSchema.index({ org_id: 1, project_id: 1, started_at: 1, _id: 1 });
sessionSchema.index({ org_id: 1, model: 1, started_at: 1, _id: 1 });
sessionSchema.index({ org_id: 1, adapter: 1, started_at: 1, _id: 1 });

/**
 * The newest session of a key. A transaction that changes which sessions a key has writes this row, so that two
 * such transactions conflict instead of both missing what the other did.
 */
export interface SessionHead {
  _id: string;
  session_id: string;
  version: number;
}

export const sessionHeadSchema = new Schema<SessionHead>({
  _id: { type: String, required: true },
  session_id: String,
  version: Number,
});
