import { EXPORT_RUN_KEPT_DAYS } from '../platform/basics/contract.ts';
import { daysBefore, retentionRule } from '../platform/mongo/retention.ts';
import { exportRunRows } from './model.ts';

export const exportRunRetention = retentionRule('export_runs', exportRunRows, {
  old: (_config, nowMs) => ({
    filter: { created_at: { $lt: daysBefore(nowMs, EXPORT_RUN_KEPT_DAYS) } },
    ageField: 'created_at',
  }),
});
