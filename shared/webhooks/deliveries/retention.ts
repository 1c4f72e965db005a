import { daysBefore, retentionRule } from '../../platform/mongo/retention.ts';
import { deliveryRows, POSITIONS_PER_MS, queuedDeliveryRows } from './model.ts';

export const deliveryRetention = retentionRule('deliveries', deliveryRows, {
  old: (config, nowMs) => ({
    filter: { created_at: { $lt: daysBefore(nowMs, config.eventRetentionDays) } },
    ageField: 'created_at',
  }),
});

/** Held deliveries, by their place in the order of events. */
export const heldDeliveryRetention = retentionRule('held_deliveries', queuedDeliveryRows, {
  old: (config, nowMs) => ({
    filter: {
      state: 'held' as const,
      at: { $lt: daysBefore(nowMs, config.eventRetentionDays).getTime() * POSITIONS_PER_MS },
    },
    ageField: 'at',
  }),
});

/** Deliveries that nobody could attempt, by when they were due. */
export const pendingDeliveryRetention = retentionRule('pending_deliveries', queuedDeliveryRows, {
  old: (config, nowMs) => ({
    filter: {
      state: 'pending' as const,
      at: { $lt: daysBefore(nowMs, config.eventRetentionDays).getTime() },
    },
    ageField: 'at',
  }),
});
