import { dueJob } from '../../platform/due/model.ts';

/** Holds what a webhook that was paused, or has turned failing, had under way. The key is the webhook. */
export const holdWebhookJob = dueJob('hold-webhook');

/** Sends what a webhook held, and cancels what a deleted one had not finished. The key is the webhook. */
export const drainWebhookJob = dueJob('drain-webhook');

/** Tells an organization's admins that a webhook is failing. The key is the webhook. */
export const alertAdminsJob = dueJob('alert-admins');
