import { daysBefore, retentionRule } from '../platform/mongo/retention.ts';
import { contextRows } from './model.ts';

/** A call is at most 35 days old when its work may change, and a context is in force for 35: two days for clocks that differ. */
const KEPT_DAYS = 72;

export const contextRetention = retentionRule('contexts', contextRows, {
  old: (_config, nowMs) => ({ filter: { ts: { $lt: daysBefore(nowMs, KEPT_DAYS) } }, ageField: 'ts' }),
});
