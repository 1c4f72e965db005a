import { z } from 'zod';

/** A kind of job that a noun declares: its queue's name and the shape of what it carries, which is ids, never state. */
export interface Job<Data = unknown> {
  readonly kind: string;
  readonly data: z.ZodType<Data>;
}

/** Declares a kind of job. The kind is also the name of its BullMQ queue. */
export function job<Shape extends z.ZodRawShape>(kind: string, shape: Shape) {
  return { kind, data: z.strictObject(shape) } as const;
}

export type JobData<J extends Job> = z.output<J['data']>;

/** How far ahead of its time the sweep adds the wake-up of a due row. Two sweeps fit into it. Milliseconds. */
export const SWEPT_AHEAD_MS = 10_000;

/** Returns true for a time so far ahead that the sweep adds its wake-up, also where the clocks of two processes differ. */
export function isLeftToSweep(dueMs: number, nowMs: number): boolean {
  return dueMs > nowMs + 2 * SWEPT_AHEAD_MS;
}

/** A wake-up as data: the job that tells a worker to look at a row. It may be lost; the sweeper finds the row. */
export interface PlannedWakeUp {
  readonly job: Job;
  /** The same id while a job lives is the same job. No colon. */
  readonly id: string;
  readonly data: unknown;
  /** Epoch milliseconds; what has passed is at once. */
  readonly dueMs: number;
  /** Published before the job is added, on the same connection; nothing may depend on its being heard. */
  readonly publish?: string;
  /** Set when the sweep adds it near its time, so that a commit leaves it out while it is far ahead. */
  readonly isSwept?: true;
  /** Set when many commits plan the same one, of which one is enough. */
  readonly isShared?: true;
}

/** The channel on which what wake-ups of a job publish is heard. */
export function channelOf({ prefix }: { prefix: string }, { kind }: Job): string {
  return `${prefix}:${kind}`;
}
