import { z } from 'zod';
import { job } from '../../platform/queues/job.ts';

/** Holds what a webhook that has turned failing had under way. */
export const holdWebhookJob = job('hold-webhook', { webhook_id: z.string() });

/** Sends what an enabled webhook held, and cancels what a deleted one had not finished. */
export const drainWebhookJob = job('drain-webhook', { webhook_id: z.string() });

/** Tells an organization's admins that a webhook is failing. */
export const alertAdminsJob = job('alert-admins', { webhook_id: z.string() });
