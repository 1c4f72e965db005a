import { job } from '../platform/queues/job.ts';

/** Holds the rollups against their signals. */
export const reconcileUsageJob = job('reconcile-usage', {});
