import { dateAt } from '../platform/basics/clock.ts';
import { retentionRule } from '../platform/mongo/retention.ts';
import { idempotencyRecordRows } from './model.ts';

export const idempotencyRetention = retentionRule('idempotency_records', idempotencyRecordRows, {
  old: (_config, nowMs) => ({ filter: { expires_at: { $lte: dateAt(nowMs) } }, ageField: 'expires_at' }),
});
