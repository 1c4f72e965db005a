import { job } from '../../platform/queues/job.ts';

/** Writes off credits that have expired. */
export const expireCreditsJob = job('expire-credits', {});
