import { freezeAllAnalytics } from '../../shared/wings/analytics/freeze-weeks.ts';
import { freezeAnalyticsJob } from '../../shared/wings/analytics/jobs.ts';
import { jobRow } from '../job-row.ts';

/** Weeks that ended a day ago, and what arrived late for others. */
export const freezeAnalytics = jobRow(freezeAnalyticsJob, {
  concurrency: 1,
  everyMs: 3_600_000,
  work: freezeAllAnalytics,
});
