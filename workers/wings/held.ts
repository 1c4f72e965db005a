import { reportHeldJob } from '../../shared/wings/held/jobs.ts';
import { reportHeld as reportHeldSignals } from '../../shared/wings/held/report-held.ts';
import { dueJobRow } from '../job-row.ts';

/** After signals were held, and an hour later. */
export const reportHeld = dueJobRow(reportHeldJob, { concurrency: 4, work: reportHeldSignals });
