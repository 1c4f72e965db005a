import { dueJob } from '../../../platform/due/model.ts';

/** Gives the calls of a repricing their new prices. The key of its due row is the repricing's id. */
export const applyRepricingJob = dueJob('apply-repricing');
