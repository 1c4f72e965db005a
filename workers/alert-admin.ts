import { alertAdmins } from '../shared/webhooks/alert-admins.ts';
import type { JobHandler } from './job-handler.ts';

/** One mail to an organization's admins about a webhook that is failing. */
export const alertAdmin: JobHandler<'alert-admin'> = {
  queue: 'alert-admin',
  concurrency: 4,
  handle: async ({ webhook_id }, ctx) => {
    await alertAdmins(ctx, webhook_id);
    return undefined;
  },
};
