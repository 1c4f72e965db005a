import { dueJob } from '../../../../platform/due/model.ts';

/**
 * Sends what a webhook held, holds what one that was paused or has turned failing had under way, and cancels what a deleted
 * one had not finished. The key is the webhook.
 */
export const drainWebhookJob = dueJob('drain-webhook');

/** Tells an organization's admins that a webhook is failing. The key is the webhook. */
export const alertAdminsJob = dueJob('alert-admins');
