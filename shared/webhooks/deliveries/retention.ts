import { daysBefore, keptForDays, retentionRule } from '../../platform/mongo/retention.ts';
import { deliveryRows, queuedDeliveryRows } from './model.ts';

/** Finished deliveries, by when they were finished. */
export const deliveryRetention = keptForDays(
  'deliveries',
  deliveryRows,
  'finished_at',
  ({ eventRetentionDays }) => eventRetentionDays,
);

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
