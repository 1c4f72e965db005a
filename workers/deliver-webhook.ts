import type { Context } from '../shared/platform/context/context.ts';
import type { JobOf } from '../shared/platform/queues/queues.ts';
import { attemptDeliveries } from '../shared/webhooks/attempt-delivery.ts';
import { drainDeliveries } from '../shared/webhooks/drain-deliveries.ts';
import { holdDeliveries } from '../shared/webhooks/hold-deliveries.ts';
import type { JobHandler, WakeAgain } from './job-handler.ts';

/** First attempts: one job is what became due together at one webhook. How many run is the endpoints' own (shared/webhooks/endpoints.ts). */
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

/** What a webhook that was enabled again had held, and what one that was deleted had not finished. */
export const drainWebhook: JobHandler<'drain-webhook'> = {
  queue: 'drain-webhook',
  concurrency: 256,
  handle: async ({ webhook_id }, ctx) => {
    await drainDeliveries(ctx, webhook_id);
    return undefined;
  },
};

async function attempt(job: JobOf<'deliver-webhook'>, ctx: Context): Promise<WakeAgain | undefined> {
  const verdicts = await attemptDeliveries(ctx, job);
  const later = verdicts.map(({ notBeforeMs }) => notBeforeMs).filter((atMs) => atMs !== undefined);
  return later.length === 0 ? undefined : { notBeforeMs: Math.min(...later) };
}
