import { job } from '../platform/queues/job.ts';

/** Holds every account's ledger against its balance. */
export const reconcileCreditsJob = job('reconcile-credits', {});

/** Writes off credits that have expired. */
export const expireCreditsJob = job('expire-credits', {});
