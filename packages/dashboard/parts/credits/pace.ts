const DAY_MS = 86_400_000;
/** Some minutes: what was spent in one moment has no pace. */
const LEAST_DAYS = 0.01;

/** Pure. How many credits these spends come to per day, since a time in Unix seconds. */
export function creditsPerDay(spends: readonly { delta: number }[], sinceS: number, nowMs: number): number {
  const days = Math.max((nowMs - sinceS * 1_000) / DAY_MS, LEAST_DAYS);
  return spends.reduce((sum, { delta }) => sum - delta, 0) / days;
}
