import type { Context } from '../shared/platform/context/context.ts';
import { perContext } from '../shared/platform/context/per-context.ts';
import { type DueJob, dueId, dueRows } from '../shared/platform/due/model.ts';
import { postponeDue } from '../shared/platform/due/postpone-due.ts';
import { isLeftToSweep, type Job } from '../shared/platform/queues/job.ts';

/** The answer of a job that is not done: it asks to be woken again. */
export interface WakeAgain {
  /** Epoch milliseconds. */
  notBeforeMs: number;
}

/** The end of a run of a job that repeats: bull-board shows what it did. */
export interface Ran {
  result: unknown;
}

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
  handle(data: unknown, ctx: Context): Promise<WakeAgain | Ran | undefined>;
}

/** The work of a job. An answer with `notBeforeMs` asks to be woken again. */
interface Work<Of> {
  work: (ctx: Context, of: Of) => Promise<unknown>;
}

export function jobRow<Data>(
  { kind, data: shape }: Job<Data>,
  { work, ...row }: Pick<JobRow, 'concurrency' | 'everyMs'> & Work<Data>,
): JobRow {
  return {
    ...row,
    kind,
    handle: async (data, ctx) => {
      const answer = await work(ctx, shape.parse(data));
      if (isWakeAgain(answer)) return { notBeforeMs: answer.notBeforeMs };
      return row.everyMs === undefined ? undefined : { result: answer };
    },
  };
}

/** The keys that this process works on, by kind: `isWoken` when it was woken again meanwhile. */
const running = perContext(() => new Map<string, { isWoken: boolean }>());
/** The organizations that have work of a kind under way, where each may have one at a time. */
const busy = perContext(() => new Set<string>());
/** After this a key looks again whether the other work of its organization is done. */
const TURN_MS = 1_000;

/**
 * Makes of the work of due rows one of which an organization has one under way at a time in a process, so that none can
 * hold all places: another key of it is woken again.
 */
export function oneOfOrganization(job: DueJob, work: (ctx: Context, key: string) => Promise<unknown>) {
  return async (ctx: Context, key: string): Promise<unknown> => {
    const due = await dueRows(ctx).findOne({ _id: { $in: [dueId(job, key), dueId(job, key, 'claimed')] } });
    if (!due) return work(ctx, key);
    const name = `${job.kind} ${due.org_id}`;
    if (busy(ctx).has(name)) return { notBeforeMs: ctx.clock.now() + TURN_MS };
    busy(ctx).add(name);
    try {
      return await work(ctx, key);
    } finally {
      busy(ctx).delete(name);
    }
  };
}

/**
 * Makes a row of the job of a kind of due row. `work` gets the row's key, and clears the row or moves it in the
 * transaction that does it. A key that is woken while a process works on it runs once more after that, so that it
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
