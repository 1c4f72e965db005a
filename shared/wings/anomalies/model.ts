import { userId } from '../../core/accounts/organizations/user-id.ts';
import type { AnomalyType } from '../../platform/basics/contract.ts';
import { collection } from '../../platform/mongo/collection.ts';
import { optional } from '../../platform/mongo/fields.ts';

/** One incident: a kind of anomaly in a session. It is reported again only when what was observed has doubled. */
export interface Anomaly {
  /** Derived from type and session. */
  _id: string;
  org_id: string;
  user_id: string;
  session_id: string;
  anomaly_type: AnomalyType;
  /** As last reported: tokens, US dollars or an error rate, by type. */
  baseline_avg: number;
  observed: number;
  deviation_pct: number;
  /** How many events it has raised. */
  reports: number;
  detected_at: Date;
  updated_at: Date;
  /** When signals of the session were voided after the last report. */
  corrected_at?: Date;
}

export const anomalyRows = collection<Anomaly>('anomalies', {
  about: 'A session that is unusual for its person.',
  fields: {
    _id: String,
    org_id: String,
    user_id: userId,
    session_id: String,
    anomaly_type: String,
    baseline_avg: Number,
    observed: Number,
    deviation_pct: Number,
    reports: Number,
    detected_at: Date,
    updated_at: Date,
    corrected_at: optional(Date),
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    // One per list filter, and for two at once: a page reads a bounded range of one of them.
    { key: { org_id: 1, detected_at: 1, _id: 1 } },
    { key: { org_id: 1, user_id: 1, detected_at: 1, _id: 1 } },
    { key: { org_id: 1, anomaly_type: 1, detected_at: 1, _id: 1 } },
    { key: { org_id: 1, user_id: 1, anomaly_type: 1, detected_at: 1, _id: 1 } },
    { key: { org_id: 1, session_id: 1, detected_at: 1, _id: 1 } },
  ],
});
