import { dateAt } from '../../../platform/basics/clock.ts';
import { collection } from '../../../platform/mongo/collection.ts';
import { kept, nullable } from '../../../platform/mongo/fields.ts';
import { retentionRule } from '../../../platform/mongo/retention.ts';

/** One use of an idempotency key, kept for 48 hours. */
export interface IdempotencyRecord {
  /** Hash of who sent it, to which route, and the key. */
  _id: string;
  /** Hash of the body. */
  fingerprint: string;
  /** The id of what the request creates is derived from this. */
  seed: string;
  /** The request whose transaction has created; null until then. */
  created_by: string | null;
  /** The body that was answered, as JSON; null until then, and for ever where it holds a secret. */
  answer: string | null;
  expires_at: Date;
}

export const idempotencyRecordRows = collection<IdempotencyRecord>('idempotency_records', {
  about: 'The use of an idempotency key and its answer, so that a repeat is answered the same.',
  fields: {
    _id: String,
    fingerprint: String,
    seed: String,
    created_by: nullable(String),
    answer: nullable(kept(String, 'it is deleted after 48 hours')),
    expires_at: Date,
  },
  shardKey: { _id: 1 },
  indexes: [{ key: { expires_at: 1 } }],
});

export const idempotencyRetention = retentionRule('idempotency_records', idempotencyRecordRows, {
  kept: '48 hours',
  old: (_config, nowMs) => ({ filter: { expires_at: { $lte: dateAt(nowMs) } }, ageField: 'expires_at' }),
});
