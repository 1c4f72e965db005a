import { dateAt } from '../../../platform/basics/clock.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { kept, nullable } from '../../../platform/mongo/fields.ts';
import { retentionRule } from '../../../platform/mongo/retention.ts';

export const idempotencyRecordRows = collection('idempotency_records', {
  about: 'The use of an idempotency key and its answer, so that a repeat is answered the same.',
  fields: {
    /** Hash of who sent it, to which route, and the key. */
    _id: String,
    /** Hash of the body. */
    fingerprint: String,
    /** The id of what the request creates is derived from this. */
    seed: String,
    /** The request whose transaction has created; null until then. */
    created_by: nullable(String),
    /** The body that was answered, as JSON; null until then, and for ever where it holds a secret. */
    answer: nullable(kept(String, 'it is deleted after 48 hours')),
    expires_at: Date,
  },
  shardKey: { _id: 1 },
  indexes: [{ key: { expires_at: 1 } }],
});

export interface IdempotencyRecord extends RowOf<typeof idempotencyRecordRows> {}

export const idempotencyRetention = retentionRule('idempotency_records', idempotencyRecordRows, {
  kept: '48 hours',
  old: (_config, nowMs) => ({ filter: { expires_at: { $lte: dateAt(nowMs) } }, ageField: 'expires_at' }),
});
