/** A time from `startMs` on and before `endMs`. Epoch milliseconds. */
export interface Interval {
  startMs: number;
  endMs: number;
}

/** A day of UTC, and a length of 24 hours. */
export const DAY_MS = 86_400_000;
