import { endIfSilent } from '../shared/sessions/end-session.ts';
import type { JobHandler } from './job-handler.ts';

/** The timer of an open session: ends it, or looks again when its silence would be long enough. */
export const closeSession: JobHandler<'close-session'> = {
  queue: 'close-session',
  concurrency: 16,
  handle: async ({ session_id }, ctx) => {
    const verdict = await endIfSilent(ctx, session_id);
    return 'notBeforeMs' in verdict ? verdict : undefined;
  },
};
