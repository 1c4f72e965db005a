import { purge } from '../shared/retention/purge.ts';
import type { JobHandler } from './job-handler.ts';

/** Once an hour: what is older than its retention goes. */
export const purgeJob: JobHandler<'purge'> = {
  queue: 'purge',
  concurrency: 1,
  handle: async (_job, ctx) => {
    await purge(ctx);
    return undefined;
  },
};
