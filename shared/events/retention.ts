import { daysBefore, retentionRule } from '../platform/mongo/retention.ts';
import { eventRows } from './model.ts';

export const eventRetention = retentionRule('events', eventRows, {
  old: (config, nowMs) => ({
    filter: { created_at: { $lt: daysBefore(nowMs, config.eventRetentionDays) } },
    ageField: 'created_at',
  }),
});
