import { job } from '../../platform/queues/job.ts';

/** Compares every account's ledger with its balance. */
export const reconcileCreditsJob = job('reconcile-credits', {});
