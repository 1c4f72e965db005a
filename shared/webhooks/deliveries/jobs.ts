import { z } from 'zod';
import { job } from '../../platform/queues/job.ts';

const dueDeliveries = {
  webhook_id: z.string(),
  delivery_ids: z.array(z.string()),
  /** Whether the commit that planned them has published them (sending/published.ts). */
  published: z.boolean().default(false),
};

/** First attempts: one job is what became due together at one webhook. */
export const deliverWebhookJob = job('deliver-webhook', dueDeliveries);

/** Attempts 2 to 5, so that no first attempt waits behind them. */
export const retryWebhookJob = job('retry-webhook', dueDeliveries);
