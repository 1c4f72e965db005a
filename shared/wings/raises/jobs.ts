import { dueJob } from '../../platform/due/model.ts';

/** Expires a raise that nobody answered, or ends one that was approved. The key of its due row is the raise's id. */
export const endRaiseJob = dueJob('end-raise');

/** One mail about a raise to one person. The key of its due row is `mailKey(...)`. */
export const mailRaiseJob = dueJob('mail-raise');
