import { dueJob } from '../../../../platform/due/model.ts';

/** Sends what a webhook held, holds what a paused or failing one had under way, cancels a deleted one's. Key: the webhook. */
export const drainWebhookJob = dueJob('drain-webhook');

/** Tells an organization's admins that a webhook is failing. The key is the webhook. */
export const alertAdminsJob = dueJob('alert-admins');
