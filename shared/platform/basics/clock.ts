/** The only source of time. */
export interface Clock {
  /** The wall clock: epoch milliseconds, UTC. Somebody may set it, forward or back. */
  now(): number;
  /**
   * Milliseconds since some moment, of a clock that nobody sets: for how long a process remembers or leaves something alone.
   */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/**
 * How far the clock of an api may be behind those of the stores without leaving anything wrong in them: one that is further
 * behind refuses nearly every signal (docs/reliability.md).
 */
export const CLOCK_LAG_MS = 3_600_000;

/** ISO 8601 in UTC with milliseconds, as every time under `/api/v1` is written. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Whole Unix seconds, as times under `/v1` are written. */
export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

/** A stored time as a Date: MongoDB keeps milliseconds since the epoch. */
export function dateAt(epochMs: number): Date {
  return new Date(epochMs);
}
