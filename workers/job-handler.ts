import type { Context } from '../shared/platform/context/context.ts';
import type { JobOf, QueueName } from '../shared/platform/queues/queues.ts';

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

/** Held while a job runs; a worker that died is noticed within these, and its jobs run elsewhere. */
export const LOCK_MS = 5_000;
export const STALLED_CHECK_MS = 1_000;
