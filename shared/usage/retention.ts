import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { daysBefore, retentionRule } from '../platform/mongo/retention.ts';
import { rollupRows } from './model.ts';

/** Quarter hours are kept for 36 days: they are read for 35, and no reader meets the purge. Days and months stay. */
export const quarterHourRetention = retentionRule('quarter_hours', rollupRows, {
  isPerOrganization: true,
  old: (_config, nowMs) => ({
    filter: { period: 'quarter_hour' as const, start: { $lt: daysBefore(nowMs - SIGNAL_AGE_MS.behind, 1) } },
    ageField: 'start',
  }),
});
