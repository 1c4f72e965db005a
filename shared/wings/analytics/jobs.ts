import { job } from '../../platform/queues/job.ts';

/** Freezes weeks that have closed, and judges what arrived late for others. */
export const freezeAnalyticsJob = job('freeze-analytics', {});
