import { expireCredits as expire } from '../shared/credits/expire.ts';
import type { JobHandler } from './job-handler.ts';

/** Every ten minutes: writes off what has expired. */
export const expireCredits: JobHandler<'expire-credits'> = {
  queue: 'expire-credits',
  concurrency: 1,
  handle: async (_job, ctx) => {
    await expire(ctx);
    return undefined;
  },
};
