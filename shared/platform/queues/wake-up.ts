import type { Job } from './job.ts';
import type { Queues } from './queues.ts';

/** A wake-up as data: the job that tells a worker to look at a row. It may be lost; the sweeper finds the row. */
export interface PlannedWakeUp {
  readonly job: Job;
  /** The same id while a job lives is the same job. No colon. */
  readonly id: string;
  readonly data: unknown;
  /** Epoch milliseconds; what has passed is at once. */
  readonly dueMs: number;
  /** Published to the workers before the job is added, on the same connection; nothing may depend on its being heard. */
  readonly publish?: string;
}

/** A wake-up whose data is of its job's shape. */
export function wakeUp<Data>(
  job: Job<Data>,
  planned: Omit<PlannedWakeUp, 'job' | 'data'> & { data: Data },
): PlannedWakeUp {
  return { job: job as Job, ...planned };
}

/** The channel on which what wake-ups of a job publish is heard. */
export function channelOf({ prefix }: Queues, { kind }: Job): string {
  return `${prefix}:${kind}`;
}
