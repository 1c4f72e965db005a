import { reconcileCredits as reconcile } from '../shared/credits/reconcile.ts';
import type { JobHandler } from './job-handler.ts';

/** Hourly: whether every ledger adds up to its balance. Repairs nothing. */
export const reconcileCredits: JobHandler<'reconcile-credits'> = {
  queue: 'reconcile-credits',
  concurrency: 1,
  handle: async (_job, ctx) => {
    await reconcile(ctx, { repair: false });
    return undefined;
  },
};
