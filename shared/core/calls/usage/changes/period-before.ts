import { dateIn, startOfDate, type Zones } from '../calendar.ts';

/**
 * Returns where the period before `[fromMs, toMs)` begins (epoch ms). It is as long and ends where this one begins: as many days
 * of the calendar where both ends are midnights, since some days have 23 or 25 hours. Pure.
 */
export function beginningBefore(zones: Zones, fromMs: number, toMs: number): number {
  const [first, end] = [dateIn(zones, fromMs), dateIn(zones, toMs)];
  const areDays = startOfDate(zones, first) === fromMs && startOfDate(zones, end) === toMs;
  if (!areDays) return fromMs - (toMs - fromMs);
  return startOfDate(zones, first.subtract({ days: first.until(end).days }));
}
