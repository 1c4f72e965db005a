import type { Context } from '../shared/platform/context/context.ts';
import type { Job } from '../shared/platform/queues/job.ts';

/** What a job asks for when it is not done: to be woken again. */
export interface WakeAgain {
  /** Epoch milliseconds. */
  notBeforeMs: number;
}

/** A row of the job table. */
export interface JobRow {
  /** The kind of the job, which is the name of its queue. */
  kind: string;
  /** How many run at once in a worker; `open`: it has no limit of its own (open-worker.ts). */
  concurrency: number | 'open';
  /** How often it runs by itself (milliseconds); absent for what is woken. */
  everyMs?: number;
  /**
   * Loads what the ids name, decides, acts, records. May run twice or late: what it does must stand that. Throws a
   * ZodError for data that is not of its kind.
   */
  handle(data: unknown, ctx: Context): Promise<WakeAgain | undefined>;
}

/** Makes a row of a declared job and what is done about it. An answer with `notBeforeMs` asks to be woken again. */
export function jobRow<Data>(
  { kind, data: shape }: Job<Data>,
  row: Pick<JobRow, 'concurrency' | 'everyMs'> & { handle(data: Data, ctx: Context): Promise<unknown> },
): JobRow {
  return {
    ...row,
    kind,
    handle: async (data, ctx) => {
      const answer = await row.handle(shape.parse(data), ctx);
      return isWakeAgain(answer) ? { notBeforeMs: answer.notBeforeMs } : undefined;
    },
  };
}

function isWakeAgain(answer: unknown): answer is WakeAgain {
  return typeof answer === 'object' && answer !== null && 'notBeforeMs' in answer;
}

/** Held while a job runs; a worker that died is noticed within these, and its jobs run elsewhere. */
export const LOCK_MS = 5_000;
export const STALLED_CHECK_MS = 1_000;
