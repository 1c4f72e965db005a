import { DelayedError, type Job, Worker } from 'bullmq';
import type { Context } from '../shared/platform/context/context.ts';
import type { RedisClient } from '../shared/platform/redis/connect.ts';
import { type JobRow, queueOptions, stalledCheckMs } from './job-row.ts';
import { type OpenWorker, startOpenWorker } from './open-worker.ts';
import { runJob } from './run-job.ts';
import { watchStalled } from './watch-stalled.ts';

/** Starts the worker of one row. */
export function startWorker(row: JobRow, ctx: Context, connection: RedisClient): OpenWorker {
  if (row.concurrency === 'open') return startOpenWorker(row, ctx, connection);
  const worker = new Worker(row.kind, (job, token) => process(row, ctx, job, token), {
    connection,
    prefix: ctx.queues.prefixOf(row.kind),
    concurrency: row.concurrency,
    ...queueOptions(row),
  });
  worker.on('error', (error) => ctx.log.debug({ err: error, queue: row.kind }, 'worker connection'));
  const stopWatching = watchStalled(worker, ctx, stalledCheckMs(row));
  return {
    waitUntilReady: () => worker.waitUntilReady(),
    close: async () => {
      stopWatching();
      await worker.close();
    },
  };
}

const CLOSE_PATIENCE_MS = 10_000;

/** Finishes the jobs that run; without Redis it cannot, and lets go: their locks run out and they run elsewhere. */
export async function closeWorker(worker: Pick<OpenWorker, 'close'>): Promise<void> {
  const closing = worker.close();
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, CLOSE_PATIENCE_MS);
  await Promise.race([closing, patience.promise]);
  clearTimeout(timer);
}

async function process(row: JobRow, ctx: Context, job: Job, token: string | undefined): Promise<void> {
  const again = await runJob(row, ctx, job);
  if (!again) return;
  await job.moveToDelayed(again.notBeforeMs, token);
  throw new DelayedError();
}
