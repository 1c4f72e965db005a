/** A time from `startMs` on and before `endMs`. Epoch milliseconds. */
export interface Interval {
  startMs: number;
  endMs: number;
}
