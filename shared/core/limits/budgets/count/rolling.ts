import type { Interval } from '../../../../platform/basics/interval.ts';
import { addCounts, type Calendar, type Counts, noCounts, WINDOW_KEPT_DAYS } from '../rules/counted.ts';
import type { WindowUsage } from '../rules/evaluate.ts';
import { dateIn } from '../rules/windows.ts';

/** Whole days before the present one whose windows no retention has reached. */
const DAYS_BACK = WINDOW_KEPT_DAYS - 2;

/** The sum of those windows of a counter that begin in an interval. Pure. */
export function usageIn(windows: readonly WindowUsage[], { startMs, endMs }: Interval): Counts {
  const sum = noCounts();
  for (const { interval, usage } of windows)
    if (interval.startMs >= startMs && interval.startMs < endMs) addCounts(sum, usage);
  return sum;
}

/**
 * The windows of a budget, given those of its counter: the same ones; of a rolling budget one for each day, from the first that
 * is kept whole to the present one or the last that was used, oldest first. Pure.
 */
export function windowsOf(
  calendar: Calendar,
  counted: readonly WindowUsage[],
  nowMs: number,
): readonly WindowUsage[] {
  const days = calendar.rolling_days;
  if (calendar.window !== 'rolling' || !days) return counted;
  const lastMs = Math.max(nowMs, ...counted.map(({ interval }) => interval.startMs));
  const edges = lastDays(calendar.timezone, lastMs);
  const byDay = new Map(counted.map(({ interval, usage }) => [interval.startMs, usage]));
  const windows: WindowUsage[] = [];
  for (let day = days - 1; day + 1 < edges.length; day += 1) {
    const atMs = edges[day] ?? 0;
    const before = noCounts();
    for (let at = day - days + 1; at < day; at += 1) addCounts(before, byDay.get(edges[at] ?? 0) ?? {});
    const usage = { ...before };
    addCounts(usage, byDay.get(atMs) ?? {});
    const interval = { startMs: edges[day - days + 1] ?? 0, endMs: edges[day + 1] ?? 0 };
    windows.push({ interval, usage, opening: { atMs, usage: before } });
  }
  return windows;
}

export function isOfRolling({ budget }: { budget: Calendar }): boolean {
  return budget.window === 'rolling';
}

/** The days of each timezone that were asked for last. */
const known = new Map<string, readonly number[]>();

/** The bounds of the day of a moment and of those before it, oldest first. Epoch ms. */
function lastDays(timezone: string, epochMs: number): readonly number[] {
  const before = known.get(timezone) ?? [];
  if ((before.at(-2) ?? Infinity) <= epochMs && epochMs < (before.at(-1) ?? 0)) return before;
  const today = dateIn(timezone, epochMs);
  const edges = Array.from(
    { length: DAYS_BACK + 2 },
    (_, at) => today.add({ days: at - DAYS_BACK }).toZonedDateTime(timezone).epochMilliseconds,
  );
  known.set(timezone, edges);
  return edges;
}
