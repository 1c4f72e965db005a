import { randomUUID } from 'node:crypto';
import { type Job, Worker } from 'bullmq';
import { every } from '../shared/platform/basics/every.ts';
import type { Context } from '../shared/platform/context/context.ts';
import type { RedisClient } from '../shared/platform/redis/connect.ts';
import type { JobRow } from './job-row.ts';
import { jobSeconds } from './metrics.ts';

/** A job's lock, which is renewed while the job runs: those of a worker that died run elsewhere after this. */
const LOCK_MS = 5_000;
/** How often each worker checks for such jobs. Only deliveries are worth a check per second. */
const STALLED_CHECK_MS = { deliveries: 1_000, others: 5_000 };
/** A check counts for all workers until this long before the next one of each. */
const CHECK_EARLY_MS = 200;
/** How long a worker waits for a job before it asks again; one that comes meanwhile wakes it at once. BullMQ's longest. */
const ASK_AGAIN_S = 10;
/** Jobs asked for at once: twice as many each time that all came, else as many as came. */
const FETCH_AT_MOST = 64;
const PAUSE_AFTER_ERROR_MS = 250;

export interface JobWorker {
  waitUntilReady(): Promise<unknown>;
  /** Takes no more and waits for those that run. */
  close(): Promise<void>;
}

/**
 * Starts the worker of one row. It begins each job as soon as it has it: BullMQ's own loop first fills its slots one job
 * after the other, so that a long list of jobs would wait for the last one to be fetched.
 */
export function startWorker(row: JobRow, ctx: Context, connection: RedisClient): JobWorker {
  const checkMs = STALLED_CHECK_MS[row.concurrency === Number.POSITIVE_INFINITY ? 'deliveries' : 'others'];
  const worker = new Worker(row.kind, null, {
    connection,
    prefix: ctx.queues.prefixOf(row.kind),
    autorun: false,
    drainDelay: ASK_AGAIN_S,
    lockDuration: LOCK_MS,
    skipStalledCheck: true,
    stalledInterval: checkMs - CHECK_EARLY_MS,
    maxStalledCount: 1_000,
  });
  worker.on('error', (error) => ctx.log.debug({ err: error, queue: row.kind }, 'worker connection'));
  const token = randomUUID();
  // By the run and not by the id: a job whose lock was lost may run here twice at once.
  const running = new Map<Promise<void>, string>();
  let ended = Promise.withResolvers<void>();
  let closing = false;

  const intake: Intake = {
    worker,
    token,
    isClosing: () => closing,
    room: () => row.concurrency - running.size,
    untilOneEnded: () => ended.promise,
    begin: (job) => {
      const { id = '' } = job;
      const run = finish(row, ctx, job, token).finally(() => {
        running.delete(run);
        ended.resolve();
        ended = Promise.withResolvers();
      });
      running.set(run, id);
    },
  };
  async function untilAllEnded(): Promise<void> {
    while (running.size > 0) await Promise.all(running.keys());
  }
  const stopRenewing = every(LOCK_MS / 3, async () => {
    const ids = [...running.values()];
    if (ids.length === 0) return;
    const tokens = ids.map(() => token);
    await worker
      .extendJobLocks(ids, tokens, LOCK_MS)
      .catch((error: unknown) => ctx.log.debug({ err: error, queue: row.kind }, 'locks were not extended'));
  });
  const stopChecking = every(checkMs, () => moveStalled(worker, ctx));
  const loop = fetchAll(intake, ctx, row.kind);

  return {
    waitUntilReady: () => worker.waitUntilReady(),
    close: async () => {
      closing = true;
      void stopChecking();
      await untilAllEnded();
      await worker.close(true);
      await loop;
      // Jobs that were on their way here when the connection closed have begun too.
      await untilAllEnded();
      void stopRenewing();
    },
  };
}

/** How a worker takes jobs. */
interface Intake {
  worker: Worker;
  token: string;
  isClosing: () => boolean;
  /** How many more may run now. */
  room: () => number;
  untilOneEnded: () => Promise<void>;
  begin: (job: Job) => void;
}

/** Waits for a job; as soon as there is one, fetches what else there is and there is room for. */
async function fetchAll(intake: Intake, ctx: Context, queue: string): Promise<void> {
  const { worker, token, isClosing, room, untilOneEnded, begin } = intake;
  let wanted = 1;
  while (!isClosing()) {
    try {
      if (room() === 0) {
        await untilOneEnded();
        continue;
      }
      const job = await worker.getNextJob(token);
      if (!job) continue;
      begin(job);
      for (let isFull = true; isFull && room() > 0 && !isClosing(); ) {
        const asked = Math.min(wanted, room());
        const jobs = await fetchSome(worker, token, asked);
        for (const next of jobs) begin(next);
        isFull = jobs.length === asked;
        wanted = isFull ? Math.min(2 * asked, FETCH_AT_MOST) : Math.max(1, jobs.length);
      }
    } catch (error) {
      if (isClosing()) break;
      ctx.log.debug({ err: error, queue }, 'jobs were not fetched');
      await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_ERROR_MS));
    }
  }
}

/** In one round trip, and for Redis in one turn with one fsync. */
async function fetchSome(worker: Worker, token: string, count: number): Promise<Job[]> {
  const asked = Array.from({ length: count }, () => worker.getNextJob(token, { block: false }));
  return (await Promise.all(asked)).filter((job) => job !== undefined);
}

/** Runs one job, measured, and takes it off the queue; never throws. */
async function finish(row: JobRow, ctx: Context, job: Job, token: string): Promise<void> {
  const end = jobSeconds(ctx).startTimer({ queue: row.kind });
  try {
    const ended = await row.handle(job.data, ctx).catch((error: unknown) => {
      end({ outcome: 'failed' });
      ctx.log.error({ err: error, queue: row.kind, job_id: job.id }, 'job failed; it comes again');
      throw error;
    });
    const again = ended !== undefined && 'notBeforeMs' in ended ? ended : null;
    end({ outcome: again ? 'again' : 'done' });
    if (again) await job.moveToDelayed(again.notBeforeMs, token);
    else await job.moveToCompleted(ended && 'result' in ended ? ended.result : undefined, token, false);
  } catch (error) {
    await job.moveToFailed(error as Error, token, false).catch(() => undefined);
  }
}

/**
 * Lets jobs of workers that died run elsewhere. BullMQ's own check writes to Redis each time, with an fsync; this one first
 * asks whether any job runs at all, so that a queue at rest costs one read.
 */
async function moveStalled(worker: Worker, ctx: Context): Promise<void> {
  try {
    const running = await ctx.redis.queues.llen(worker.toKey('active'));
    if (running > 0) await worker.backend.moveStalledJobsToWait();
  } catch (error) {
    ctx.log.debug({ err: error, queue: worker.name }, 'jobs of workers that died were not moved');
  }
}

const CLOSE_PATIENCE_MS = 10_000;

/** Finishes the jobs that run; without Redis it cannot, and lets go: their locks run out and they run elsewhere. */
export async function closeWorker(worker: Pick<JobWorker, 'close'>): Promise<void> {
  const closing = worker.close();
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, CLOSE_PATIENCE_MS);
  await Promise.race([closing, patience.promise]);
  clearTimeout(timer);
}
