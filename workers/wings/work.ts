import { moveBranchCallsJob, moveSessionCallsJob } from '../../shared/wings/work/moves/jobs.ts';
import {
  moveBranchCalls as moveCallsOfBranch,
  moveSessionCalls as moveCallsOfSession,
} from '../../shared/wings/work/moves/move-calls.ts';
import { dueJobRow } from '../job-row.ts';

/** After contexts or boundaries that concern more calls than their transaction moves. */
export const moveSessionCalls = dueJobRow(moveSessionCallsJob, { concurrency: 2, work: moveCallsOfSession });

export const moveBranchCalls = dueJobRow(moveBranchCallsJob, { concurrency: 2, work: moveCallsOfBranch });
