import { daysBefore, retentionRule } from '../../platform/mongo/retention.ts';
import { deliveryRows, queuedDeliveryRows } from './model.ts';

/** Finished deliveries, by when they were finished. */
export const deliveryRetention = retentionRule('deliveries', deliveryRows, {
  old: (config, nowMs) => ({
    filter: { finished_at: { $lt: daysBefore(nowMs, config.eventRetentionDays) } },
    ageField: 'finished_at',
  }),
});

/** Deliveries that nobody could attempt, by when they were due. Held ones stay until their webhook is enabled or deleted. */
export const pendingDeliveryRetention = retentionRule('pending_deliveries', queuedDeliveryRows, {
  old: (config, nowMs) => ({
    filter: {
      state: 'pending' as const,
      at: { $lt: daysBefore(nowMs, config.eventRetentionDays).getTime() },
    },
    ageField: 'at',
  }),
});
