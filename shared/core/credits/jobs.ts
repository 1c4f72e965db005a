import { job } from '../../platform/queues/job.ts';

/** Writes off credits that have expired. */
export const expireCreditsJob = job('expire-credits', {});

/** Compares every account's ledger with its balance. */
export const reconcileCreditsJob = job('reconcile-credits', {});
