import type { Job } from 'bullmq';
import type { Context } from '../shared/platform/context/context.ts';
import type { JobRow, WakeAgain } from './job-row.ts';
import { jobSeconds } from './metrics.ts';

/** Does the work of a job, measured once. Logs a failure and throws it again; `undefined` says that the job is done. */
export async function runJob(row: JobRow, ctx: Context, job: Job): Promise<WakeAgain | undefined> {
  const end = jobSeconds(ctx).startTimer({ queue: row.kind });
  try {
    const again = await row.handle(job.data, ctx);
    end({ outcome: again ? 'again' : 'done' });
    return again;
  } catch (error) {
    end({ outcome: 'failed' });
    const fields = { err: error, queue: row.kind, job_id: job.id };
    ctx.log.error(fields, 'job failed; it comes again');
    throw error;
  }
}
