import type { AnomalyType } from '../../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { nullable, object, only, optional } from '../../../platform/mongo/fields.ts';
import { userId } from '../../accounts/organizations/user-id.ts';

/** A session as it was (null: it is new) and as it becomes. */
export interface SessionChange {
  before: Session | null;
  after: Session;
}

export const sessionRows = collection('sessions', {
  about: 'A run of activity of one user in one project with one adapter.',
  fields: {
    _id: String,
    org_id: String,
    user_id: userId,
    project_id: String,
    adapter: String,
    /** `sessionKey(...)` of the four above. */
    key: String,
    state: only<'open' | 'ended'>(String),
    end_reason: nullable(only<'timeout' | 'closed'>(String)),
    started_at: Date,
    last_activity_at: Date,
    /** Last activity, or the moment of an explicit close: never before the last activity. */
    ended_at: Date,
    /** The model with the most tokens; `unknown` when no signal named one. */
    model: String,
    /** The provider whose price this model has. Sessions of earlier versions have none until their model changes. */
    price_provider: optional(String),
    /** In the order of first use. */
    model_tokens: [object({ model: String, tokens: Number, first_at: Date })],
    tokens_in: Number,
    tokens_out: Number,
    cost_nusd: Number,
    unpriced_signals: Number,
    signal_count: Number,
    error_count: Number,
    intervention_count: Number,
    /** The kinds of its anomalies; absent while it has none. */
    anomaly_types: optional(only<AnomalyType[]>([String])),
    /** When it was last checked for anomalies; absent before the first check. */
    checked_at: optional(Date),
    /** When its last signal was voided. It counts again once another one joins it. */
    emptied_at: optional(Date),
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    // For late signals: the sessions of a key around a moment.
    { key: { key: 1, started_at: 1 } },
    // For the beginning of an id; a sharded MongoDB wants an index of the shard key.
    { key: { org_id: 1, _id: 1 } },
    // One per list filter: a page reads a bounded range of one of them.
    { key: { org_id: 1, started_at: 1, _id: 1 } },
    { key: { org_id: 1, user_id: 1, started_at: 1, _id: 1 } },
    { key: { org_id: 1, project_id: 1, started_at: 1, _id: 1 } },
    { key: { org_id: 1, model: 1, started_at: 1, _id: 1 } },
    { key: { org_id: 1, adapter: 1, started_at: 1, _id: 1 } },
    // For the order by cost, where there are too many to order them for each page.
    { key: { org_id: 1, cost_nusd: 1, _id: 1 } },
    // Few sessions have errors, and fewer have anomalies: they are read whole.
    {
      key: { org_id: 1, error_count: 1, started_at: 1 },
      partialFilterExpression: { error_count: { $gt: 0 } },
    },
    {
      key: { org_id: 1, anomaly_types: 1, started_at: 1 },
      partialFilterExpression: { anomaly_types: { $gt: '' } },
    },
  ],
});

export interface Session extends RowOf<typeof sessionRows> {}

/**
 * The newest session of a key. A transaction that changes which sessions a key has writes this row, so that two
 * such transactions conflict instead of both missing what the other did.
 */
export const sessionHeadRows = collection('session_heads', {
  about: 'The newest session of a user, project and adapter.',
  fields: {
    _id: String,
    session_id: String,
    version: Number,
  },
  shardKey: { _id: 1 },
});
