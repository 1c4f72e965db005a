import { z } from 'zod';
import { dueJob } from '../../../../platform/due/model.ts';
import { job } from '../../../../platform/queues/job.ts';

const dueDeliveries = {
  webhook_id: z.string(),
  delivery_ids: z.array(z.string()),
  /** The `wake` of the rows when they were woken. A row that has changed since then has another wake-up. */
  wake: z.string(),
  /** True when the commit that planned them has published them (published.ts). */
  published: z.boolean(),
};

/** First attempts: one job is what became due together at one webhook. */
export const deliverWebhookJob = job('deliver-webhook', dueDeliveries);

/** Attempts 2 to 5, so that no first attempt waits behind them. */
export const retryWebhookJob = job('retry-webhook', dueDeliveries);

/** Plans deliveries that were too many for the transaction of their events. The key is the first event. */
export const planDeliveriesJob = dueJob('plan-deliveries');

/** Queues exhausted deliveries of a webhook again. The key is the webhook. */
export const recoverDeliveriesJob = dueJob('recover-deliveries');

export const sendDigestsJob = job('send-digests', {});

/** Expires what a webhook holds beyond its limit. */
export const expireHeldJob = job('expire-held', {});
