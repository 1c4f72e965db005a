import { alertFailing } from '../../shared/core/events/webhooks/endpoints/alert-failing.ts';
import { closeAllMonths } from '../../shared/wings/push/closing/close-months.ts';
import { closeMonthsJob } from '../../shared/wings/push/closing/jobs.ts';
import { failingDestination } from '../../shared/wings/push/destinations/failing-destination.ts';
import { alertDestinationJob, runDestinationJob } from '../../shared/wings/push/destinations/jobs.ts';
import { runDestination as runDueDestination } from '../../shared/wings/push/destinations/runs/run-destination.ts';
import { RUNS_AT_ONCE } from '../../shared/wings/push/destinations/runs/watch-run.ts';
import { dueJobRow, jobRow, oneOfOrganization } from '../job-row.ts';

/** Months whose closing day has come, also where an admin has moved it back. */
export const closeMonths = jobRow(closeMonthsJob, {
  concurrency: 1,
  everyMs: 300_000,
  work: async (ctx) => ({ months: await closeAllMonths(ctx) }),
});

/** Writes the days that a destination of exports lacks, in turns of a minute: one destination of an organization at a time. */
export const runDestination = dueJobRow(runDestinationJob, {
  concurrency: RUNS_AT_ONCE,
  work: oneOfOrganization(runDestinationJob, (ctx, key) => runDueDestination(ctx, key)),
});

export const alertDestination = dueJobRow(alertDestinationJob, {
  concurrency: 4,
  work: (ctx, id) => alertFailing(ctx, failingDestination, id),
});
