import type { Context } from '../shared/context.ts';
import { attemptDelivery } from '../shared/webhooks/attempt-delivery.ts';
import { drainDeliveries } from '../shared/webhooks/drain-deliveries.ts';
import { holdDeliveries } from '../shared/webhooks/hold-deliveries.ts';
import type { DeliveryIds } from '../shared/webhooks/load-attempt.ts';
import type { JobHandler, WakeAgain } from './job-handler.ts';

/** First attempts: one job is one attempt. How many run is the endpoints' own (shared/webhooks/endpoints.ts). */
export const deliverWebhook: JobHandler<'deliver-webhook'> = {
  queue: 'deliver-webhook',
  concurrency: 'open',
  handle: attempt,
};

/** Attempts 2 to 5, so that no first attempt waits behind them. */
export const retryWebhook: JobHandler<'retry-webhook'> = {
  queue: 'retry-webhook',
  concurrency: 'open',
  handle: attempt,
};

/** What a webhook that has turned failing had under way. */
export const holdWebhook: JobHandler<'hold-webhook'> = {
  queue: 'hold-webhook',
  concurrency: 4,
  handle: async ({ webhook_id }, ctx) => {
    await holdDeliveries(ctx, webhook_id);
    return undefined;
  },
};

/** What a webhook that was enabled again had held. */
export const drainWebhook: JobHandler<'drain-webhook'> = {
  queue: 'drain-webhook',
  concurrency: 256,
  handle: async ({ webhook_id }, ctx) => {
    await drainDeliveries(ctx, webhook_id);
    return undefined;
  },
};

async function attempt(ids: DeliveryIds, ctx: Context): Promise<WakeAgain | undefined> {
  const { notBeforeMs } = await attemptDelivery(ctx, ids);
  return notBeforeMs === undefined ? undefined : { notBeforeMs };
}
