import { job } from '../../platform/queues/job.ts';

/** Deletes what is not kept any longer. */
export const purgeJob = job('purge', {});
