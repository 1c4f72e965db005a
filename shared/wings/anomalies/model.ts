import { userId } from '../../core/accounts/organizations/user-id.ts';
import type { AnomalyType } from '../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../platform/mongo/collection.ts';
import { only, optional } from '../../platform/mongo/fields.ts';

/** How long an expectation is kept after its end. Seconds. */
const KEPT_S = 86_400;

/** `expected`: an admin has said that anomalies of its kind are nothing new. */
export const ANOMALY_STATES = ['new', 'acknowledged', 'expected'] as const;
export type AnomalyState = (typeof ANOMALY_STATES)[number];

export const anomalyRows = collection('anomalies', {
  about: 'A session that is unusual for its person.',
  fields: {
    /** Derived from type and session. */
    _id: String,
    org_id: String,
    user_id: userId,
    session_id: String,
    anomaly_type: only<AnomalyType>(String),
    /** As last reported: tokens, US dollars or an error rate, by type. */
    baseline_avg: Number,
    observed: Number,
    deviation_pct: Number,
    /** Absent: new. */
    state: optional(only<Exclude<AnomalyState, 'new'>>(String)),
    /** The user id of the admin who acknowledged it; only in that state. */
    acknowledged_by: optional(userId),
    /** When the expectation that it met ends; only of one that is expected. */
    expected_until: optional(Date),
    /** How many events it has raised. */
    reports: Number,
    detected_at: Date,
    updated_at: Date,
    /** When signals of the session were voided after the last report. */
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
    { key: { org_id: 1, state: 1, detected_at: 1, _id: 1 } },
    { key: { org_id: 1, user_id: 1, state: 1, detected_at: 1, _id: 1 } },
  ],
});

/** One incident: a kind of anomaly in a session. It is reported again only when what was observed has doubled. */
export interface Anomaly extends RowOf<typeof anomalyRows> {}

export const EXPECTED_OF = ['person', 'session'] as const;
export type ExpectedOf = (typeof EXPECTED_OF)[number];

export const expectationRows = collection('anomaly_expectations', {
  about: 'A kind of anomaly that is expected of a person or a session until a time.',
  fields: {
    /** `expectationKey(...)`. */
    _id: String,
    org_id: String,
    anomaly_type: only<AnomalyType>(String),
    of: only<ExpectedOf>(String),
    user_id: userId,
    /** Only of one of a session. */
    session_id: optional(String),
    until: Date,
    /** The user id of the admin who said so. */
    by: userId,
  },
  indexes: [{ key: { until: 1 }, expireAfterSeconds: KEPT_S }],
});

/** A kind of anomaly that is expected of a person, or of one session: channels get no messages about it until then. */
export interface Expectation extends RowOf<typeof expectationRows> {}
