import { DelayedError, type Job, Worker } from 'bullmq';
import type { Context } from '../shared/context.ts';
import { type JobOf, QUEUES, type QueueName } from '../shared/queues.ts';
import type { RedisClient } from '../shared/redis/connect.ts';
import { QUEUE_PREFIX } from '../shared/redis/keys.ts';
import { LOCK_MS, type OpenWorker, STALLED_CHECK_MS, startOpenWorker } from './open-worker.ts';

/** What a job asks for when it is not done: to be woken again. */
export interface WakeAgain {
  /** Epoch milliseconds. */
  notBeforeMs: number;
}

export interface JobHandler<Name extends QueueName = QueueName> {
  queue: Name;
  /** `open`: no slots of its own (open-worker.ts). */
  concurrency: number | 'open';
  /** Loads what the ids name, decides, acts, records. May run twice or late: what it does must stand that. */
  handle(job: JobOf<Name>, ctx: Context): Promise<WakeAgain | undefined>;
}

/** Starts one handler: parses each job, measures it, logs a failure once. */
export function startWorker(
  handler: JobHandler,
  ctx: Context,
  connection: RedisClient,
  prefix = QUEUE_PREFIX,
): OpenWorker {
  if (handler.concurrency === 'open') return startOpenWorker(handler, ctx, connection, prefix);
  const worker = new Worker(handler.queue, (job, token) => process(handler, ctx, job, token), {
    connection,
    prefix,
    concurrency: handler.concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: 1_000,
  });
  worker.on('error', (error) => ctx.log.debug({ err: error, queue: handler.queue }, 'worker connection'));
  return worker;
}

const CLOSE_PATIENCE_MS = 10_000;

/** Finishes the jobs that run; without Redis it cannot, and lets go: their locks run out and they run elsewhere. */
export async function closeWorker(worker: OpenWorker): Promise<void> {
  const closing = worker.close();
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, CLOSE_PATIENCE_MS);
  await Promise.race([closing, patience.promise]);
  clearTimeout(timer);
}

async function process(
  handler: JobHandler,
  ctx: Context,
  job: Job,
  token: string | undefined,
): Promise<void> {
  const end = ctx.metrics.jobSeconds.startTimer({ queue: handler.queue });
  try {
    const again = await handler.handle(QUEUES[handler.queue].parse(job.data) as never, ctx);
    end({ outcome: again ? 'again' : 'done' });
    if (again) await wakeAgain(job, again, token);
  } catch (error) {
    if (error instanceof DelayedError) throw error;
    end({ outcome: 'failed' });
    ctx.log.error(
      { err: error, queue: handler.queue, job_id: job.id },
      'job failed; the sweeper will wake it again',
    );
    throw error;
  }
}

async function wakeAgain(job: Job, again: WakeAgain, token: string | undefined): Promise<never> {
  await job.moveToDelayed(again.notBeforeMs, token);
  throw new DelayedError();
}
