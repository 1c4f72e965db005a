import { dueJob } from '../../../platform/due/model.ts';

/** Brings a destination up to date. The key is the destination. */
export const runDestinationJob = dueJob('run-destination');

/** Tells an organization's admins that a destination fails. The key is the destination. */
export const alertDestinationJob = dueJob('alert-destination');
