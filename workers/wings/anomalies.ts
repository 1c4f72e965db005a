import { checkSession as lookAtSession } from '../../shared/wings/anomalies/check-session.ts';
import { checkSessionJob } from '../../shared/wings/anomalies/jobs.ts';
import { dueJobRow } from '../job-row.ts';

/** While a session runs at most once a minute, and at its end. */
export const checkSession = dueJobRow(checkSessionJob, { concurrency: 8, work: lookAtSession });
