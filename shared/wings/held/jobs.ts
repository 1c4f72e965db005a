import { dueJob } from '../../platform/due/model.ts';

/** Reports held signals, for an organization at most once per hour. The key of its due row is the organization's id. */
export const reportHeldJob = dueJob('report-held');

/** The details of a due row of a report. */
export interface DueReport {
  /** When the first signal was held that no report has counted; absent when none was. */
  first_at?: Date;
}
