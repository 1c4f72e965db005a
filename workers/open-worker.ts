import { randomUUID } from 'node:crypto';
import { type Job, Worker } from 'bullmq';
import type { Context } from '../shared/platform/context/context.ts';
import type { RedisClient } from '../shared/platform/redis/connect.ts';
import { type JobRow, LOCK_MS, queueOptions, stalledCheckMs } from './job-row.ts';
import { runJob } from './run-job.ts';
import { watchStalled } from './watch-stalled.ts';

/** Jobs asked for at once: twice as many each time that all came, else as many as came. */
const FETCH_AT_MOST = 64;
const PAUSE_AFTER_ERROR_MS = 250;

export interface OpenWorker {
  waitUntilReady(): Promise<unknown>;
  /** Takes no more and waits for those that run. */
  close(): Promise<void>;
}

/**
 * A worker without slots: it takes every job at once, because what limits them is not its own (an endpoint's slots).
 * BullMQ's loop first fills its slots one job after the other and only then begins, so that a long list of jobs would
 * wait for the last one to be fetched.
 */
export function startOpenWorker(row: JobRow, ctx: Context, connection: RedisClient): OpenWorker {
  const worker = new Worker(row.kind, null, {
    connection,
    prefix: ctx.queues.prefixOf(row.kind),
    ...queueOptions(row),
    autorun: false,
  });
  worker.on('error', (error) => ctx.log.debug({ err: error, queue: row.kind }, 'worker connection'));
  const token = randomUUID();
  // By the run and not by the id: a job whose lock was lost may run here twice at once.
  const running = new Map<Promise<void>, string>();
  let closing = false;

  function begin(job: Job): void {
    const { id = '' } = job;
    const run = finish(row, ctx, job, token).finally(() => running.delete(run));
    running.set(run, id);
  }
  async function untilAllEnded(): Promise<void> {
    while (running.size > 0) await Promise.all(running.keys());
  }
  const locks = setInterval(() => {
    const ids = [...running.values()];
    if (ids.length === 0) return;
    const tokens = ids.map(() => token);
    worker
      .extendJobLocks(ids, tokens, LOCK_MS)
      .catch((error: unknown) => ctx.log.debug({ err: error, queue: row.kind }, 'locks were not extended'));
  }, LOCK_MS / 3);
  const stopWatching = watchStalled(worker, ctx, stalledCheckMs(row));
  const loop = fetchAll(worker, token, () => closing, begin, row.kind, ctx);

  return {
    waitUntilReady: () => worker.waitUntilReady(),
    close: async () => {
      closing = true;
      stopWatching();
      await untilAllEnded();
      await worker.close(true);
      await loop;
      // What was on its way here when the connection closed has begun too.
      await untilAllEnded();
      clearInterval(locks);
    },
  };
}

/** Waits for a job; as soon as there is one, fetches what else there is. */
async function fetchAll(
  worker: Worker,
  token: string,
  isClosing: () => boolean,
  begin: (job: Job) => void,
  queue: string,
  ctx: Context,
): Promise<void> {
  let wanted = 1;
  while (!isClosing()) {
    try {
      const job = await worker.getNextJob(token);
      if (!job) continue;
      begin(job);
      for (let isFull = true; isFull && !isClosing(); ) {
        const jobs = await fetchSome(worker, token, wanted);
        for (const next of jobs) begin(next);
        isFull = jobs.length === wanted;
        wanted = isFull ? Math.min(2 * wanted, FETCH_AT_MOST) : Math.max(1, jobs.length);
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

/** Runs one job and takes it off the queue; never throws. */
async function finish(row: JobRow, ctx: Context, job: Job, token: string): Promise<void> {
  try {
    const again = await runJob(row, ctx, job);
    if (again) await job.moveToDelayed(again.notBeforeMs, token);
    else await job.moveToCompleted(undefined, token, false);
  } catch (error) {
    await job.moveToFailed(error as Error, token, false).catch(() => undefined);
  }
}
