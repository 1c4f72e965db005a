import { z } from 'zod';
import { job } from '../platform/queues/job.ts';

const dueDeliveries = {
  webhook_id: z.string(),
  delivery_ids: z.array(z.string()),
  /** Whether the commit that planned them has announced them (announcements.ts). */
  announced: z.boolean().default(false),
};

/** First attempts: one job is what became due together at one webhook. */
export const deliverWebhookJob = job('deliver-webhook', dueDeliveries);

/** Attempts 2 to 5, so that no first attempt waits behind them. */
export const retryWebhookJob = job('retry-webhook', dueDeliveries);

/** Holds what a webhook that has turned failing had under way. */
export const holdWebhookJob = job('hold-webhook', { webhook_id: z.string() });

/** Sends what an enabled webhook held, and cancels what a deleted one had not finished. */
export const drainWebhookJob = job('drain-webhook', { webhook_id: z.string() });

/** Tells an organization's admins that a webhook is failing. */
export const alertAdminJob = job('alert-admin', { webhook_id: z.string() });
