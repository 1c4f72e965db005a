import { reconcileAllUsage } from '../shared/usage/reconcile-usage.ts';
import type { JobHandler } from './job-handler.ts';

/** Once a day: whatever a signal may still have changed is held against the signals, and put right. */
export const reconcileUsageJob: JobHandler<'reconcile-usage'> = {
  queue: 'reconcile-usage',
  concurrency: 1,
  handle: async (_job, ctx) => {
    await reconcileAllUsage(ctx, { repair: true });
    return undefined;
  },
};
