import { daysBefore, retentionRule } from '../platform/mongo/retention.ts';
import { signalRows } from './model.ts';

export const signalRetention = retentionRule('signals', signalRows, {
  isPerOrganization: true,
  old: (config, nowMs) => ({
    filter: { ts: { $lt: daysBefore(nowMs, config.signalRetentionDays) } },
    ageField: 'ts',
  }),
});
