import { checkSession } from '../shared/anomalies/check-session.ts';
import type { JobHandler } from './job-handler.ts';

/** Looks at a session that has changed: while it runs at most once a minute, and at its end. */
export const detectAnomalies: JobHandler<'detect-anomalies'> = {
  queue: 'detect-anomalies',
  concurrency: 8,
  handle: async ({ session_id }, ctx) => {
    const verdict = await checkSession(ctx, session_id);
    return 'notBeforeMs' in verdict ? verdict : undefined;
  },
};
