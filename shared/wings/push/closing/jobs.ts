import { job } from '../../../platform/queues/job.ts';

/** Closes the months of FOCUS files that are due, of all organizations. */
export const closeMonthsJob = job('close-months', {});
