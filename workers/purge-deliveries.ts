import { purgeDeliveries as purge } from '../shared/webhooks/purge-deliveries.ts';
import type { JobHandler } from './worker.ts';

/** Ends the retention of the delivery log. */
export const purgeDeliveries: JobHandler<'purge-deliveries'> = {
  queue: 'purge-deliveries',
  concurrency: 1,
  handle: async (_job, ctx) => {
    await purge(ctx);
    return undefined;
  },
};
