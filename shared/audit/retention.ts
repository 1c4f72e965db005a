import { daysBefore, retentionRule } from '../platform/mongo/retention.ts';
import { auditRows } from './model.ts';

export const auditRetention = retentionRule('audit', auditRows, {
  old: (config, nowMs) => ({
    filter: { at: { $lt: daysBefore(nowMs, config.auditRetentionDays) } },
    ageField: 'at',
  }),
});
