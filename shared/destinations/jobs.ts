import { dueJob } from '../platform/due/model.ts';

/** Brings a destination up to date. The key is the destination. */
export const runDestinationJob = dueJob('run-destination');
