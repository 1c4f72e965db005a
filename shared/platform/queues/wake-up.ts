import type { Job } from './job.ts';

/** A wake-up as data: the job that tells a worker to look at a row. It may be lost; the sweeper finds the row. */
export interface PlannedWakeUp {
  readonly job: Job;
  /** The same id while a job lives is the same job. No colon. */
  readonly id: string;
  readonly data: unknown;
  /** Epoch milliseconds; what has passed is at once. */
  readonly dueMs: number;
  /** What the workers are told beside it by Redis' publish: nothing is kept, and nothing may depend on it. */
  readonly message?: { readonly channel: string; readonly text: string };
}

/** A wake-up whose data is of its job's shape. */
export function wakeUp<Data>(
  job: Job<Data>,
  planned: Omit<PlannedWakeUp, 'job' | 'data'> & { data: Data },
): PlannedWakeUp {
  return { job: job as Job, ...planned };
}
