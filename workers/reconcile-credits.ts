import { reconcileCredits as reconcile } from '../shared/credits/reconcile.ts';
import { DomainError } from '../shared/platform/basics/errors.ts';
import type { JobHandler } from './job-handler.ts';

/** A rebuild is over by then, or the next look tells. */
const AGAIN_MS = 60_000;

/** Hourly: whether every ledger adds up to its balance, which it leaves as it is, and every account is on its plan. */
export const reconcileCredits: JobHandler<'reconcile-credits'> = {
  queue: 'reconcile-credits',
  concurrency: 1,
  handle: async (_job, ctx) => {
    try {
      await reconcile(ctx, { repair: false });
      return undefined;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'rebuilding')
        return { notBeforeMs: ctx.clock.now() + AGAIN_MS };
      throw error;
    }
  },
};
