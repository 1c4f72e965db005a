import { dueJob } from '../../platform/due/model.ts';

/** Reports held signals, for an organization at most once per hour. The key of its due row is the organization's id. */
export const reportHeldJob = dueJob('report-held');

export interface DueReport {
  /** When the first signal was held that no report has counted; absent when none was. */
  first_at?: Date;
}
