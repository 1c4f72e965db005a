import type { Context } from '../shared/platform/context/context.ts';
import { perContext } from '../shared/platform/context/per-context.ts';
import type { DueJob } from '../shared/platform/due/model.ts';
import { postponeDue } from '../shared/platform/due/postpone-due.ts';
import type { Job } from '../shared/platform/queues/job.ts';
import { isLeftToSweep } from '../shared/platform/queues/wake-up.ts';

/** What a job asks for when it is not done: to be woken again. */
export interface WakeAgain {
  /** Epoch milliseconds. */
  notBeforeMs: number;
}

/** A row of the job table. */
export interface JobRow {
  /** The kind of the job, which is the name of its queue. */
  kind: string;
  /** How many run at once in a worker; infinite where something else limits them. */
  concurrency: number;
  /** How often it runs by itself (milliseconds); absent for what is woken. */
  everyMs?: number;
  /**
   * Loads what the ids name, decides, acts, records. May run twice or late: what it does must stand that. Throws a
   * ZodError for data that is not of its kind.
   */
  handle(data: unknown, ctx: Context): Promise<WakeAgain | undefined>;
}

/** What is done about a job. An answer with `notBeforeMs` asks to be woken again. */
interface Work<Of> {
  work: (ctx: Context, of: Of) => Promise<unknown>;
}

/** Makes a row of a declared job. */
export function jobRow<Data>(
  { kind, data: shape }: Job<Data>,
  { work, ...row }: Pick<JobRow, 'concurrency' | 'everyMs'> & Work<Data>,
): JobRow {
  return {
    ...row,
    kind,
    handle: async (data, ctx) => {
      const answer = await work(ctx, shape.parse(data));
      return isWakeAgain(answer) ? { notBeforeMs: answer.notBeforeMs } : undefined;
    },
  };
}

/** What is worked on in this process, by kind and key: whether it was woken again meanwhile. */
const running = perContext(() => new Map<string, { isWoken: boolean }>());

/**
 * Makes a row of the job of a kind of due row. `work` gets the row's key, and clears the row or moves it in the
 * transaction that does it. What is woken while a process works on it runs once more after that, so that one key
 * never takes two places. Work that fails is postponed, and the sweeper wakes it again, as it does what asks to be woken
 * much later.
 */
export function dueJobRow(
  job: DueJob,
  { concurrency, work }: { concurrency: number } & Work<string>,
): JobRow {
  return jobRow(job, {
    concurrency,
    work: async (ctx, { key }) => {
      const name = `${job.kind} ${key}`;
      const before = running(ctx).get(name);
      if (before) {
        before.isWoken = true;
        return undefined;
      }
      const run = { isWoken: false };
      running(ctx).set(name, run);
      try {
        const answer = await work(ctx, key);
        if (run.isWoken) return { notBeforeMs: ctx.clock.now() };
        const isLater = isWakeAgain(answer) && isLeftToSweep(answer.notBeforeMs, ctx.clock.now());
        return isLater ? undefined : answer;
      } catch (error) {
        await postponeDue(ctx, job, key).catch((failed: unknown) =>
          ctx.log.debug({ err: failed, queue: job.kind }, 'a due row was not postponed; it stays due'),
        );
        throw error;
      } finally {
        running(ctx).delete(name);
      }
    },
  });
}

function isWakeAgain(answer: unknown): answer is WakeAgain {
  return typeof answer === 'object' && answer !== null && 'notBeforeMs' in answer;
}

/** Held while a job runs; a worker that died is noticed within these, and its jobs run elsewhere. */
export const LOCK_MS = 5_000;
/** How often each worker looks for them. Only deliveries are worth the look in each second. */
const STALLED_CHECK_MS = { deliveries: 1_000, others: 5_000 };
/** So much earlier than the next look the last one of another worker no longer counts. */
const LOOK_EARLY_MS = 200;

/** How long a worker waits for a job before it asks again; one that comes meanwhile wakes it at once. BullMQ's longest. */
const ASK_AGAIN_S = 10;

/** How often a worker of this row looks for jobs whose worker died (milliseconds). */
export function stalledCheckMs({ concurrency }: JobRow): number {
  return concurrency === Number.POSITIVE_INFINITY ? STALLED_CHECK_MS.deliveries : STALLED_CHECK_MS.others;
}

/** What BullMQ's worker of a row is told about jobs whose worker died (`watchStalled` looks for them), and about waiting. */
export function queueOptions(row: JobRow) {
  return {
    drainDelay: ASK_AGAIN_S,
    lockDuration: LOCK_MS,
    skipStalledCheck: true,
    stalledInterval: stalledCheckMs(row) - LOOK_EARLY_MS,
    maxStalledCount: 1_000,
  };
}
