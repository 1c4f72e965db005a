import { isoTime } from '../../../../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS } from '../../../../platform/basics/contract.ts';
import type { Interval } from '../../../../platform/basics/interval.ts';
import { calendarWindowAt } from './calendar-windows.ts';
import type { Calendar } from './counted.ts';
import type { Budget } from './model.ts';

/** The end of a window that does not end: the last moment that every store and program can hold. */
export const NEVER_MS = Date.UTC(9999, 11, 31);

const MONTHS_OF_QUARTER = 3;

/** A window with the moments that it is the window of. */
interface Remembered {
  moments: Interval;
  window: Interval;
}

/** The windows that were asked for last, by timezone and calendar: these are few, and most moments share the window of the last. */
const last = new Map<string, Map<string, Remembered>>();

/**
 * The window of a calendar that holds a moment; of `rolling` the one that ends with the moment's day, and of `total` the only
 * one, which may begin later.
 */
export function windowAt(calendar: Calendar, epochMs: number): Interval {
  const { window, timezone, rolling_days } = calendar;
  const key = window === 'rolling' ? `rolling ${rolling_days}` : calendarKey(calendar);
  const ofZone = last.get(timezone) ?? new Map<string, Remembered>();
  const known = ofZone.get(key);
  if (known && known.moments.startMs <= epochMs && epochMs < known.moments.endMs) return known.window;
  const found = computeWindow(calendar, epochMs);
  last.set(timezone, ofZone.set(key, found));
  return found.window;
}

/** The window of a calendar's counter that holds a moment: that of the budget, or one of the days that a rolling one sums. */
export function countedWindowAt(calendar: Calendar, epochMs: number): Interval {
  return calendar.window === 'rolling' ? dayAt(calendar, epochMs) : windowAt(calendar, epochMs);
}

function dayAt({ timezone }: Calendar, epochMs: number): Interval {
  return windowAt({ window: 'daily', timezone }, epochMs);
}

/** The window that begins with the day of a moment, or holds it. */
export function windowFrom(calendar: Calendar, epochMs: number): Interval {
  const day = countedWindowAt(calendar, epochMs);
  return windowAt(calendar, lastEndMs(calendar, day) - 1);
}

/** The moment from which a window counts: its start, or later where it was counted from a later day on. */
export function countedFromMs({ counted_from }: Pick<Budget, 'counted_from'>, window: Interval): number {
  const fromMs = counted_from?.getTime() ?? 0;
  return fromMs < window.endMs ? Math.max(window.startMs, fromMs) : window.startMs;
}

/** The end of the last window that holds one of the windows of the calendar's counter. */
export function lastEndMs(
  { window, timezone, rolling_days }: Calendar,
  { startMs, endMs }: Interval,
): number {
  if (window !== 'rolling' || !rolling_days) return endMs;
  return startOf(timezone, dateIn(timezone, startMs).add({ days: rolling_days }));
}

/** The moment until which a counter's window takes what comes late: a budget's window that holds it may fire until then. */
export function countsUntilMs(calendar: Calendar, interval: Interval): number {
  return lastEndMs(calendar, interval) + CLOSED_WINDOW_FIRES_MS;
}

/** Identifies the windows of a calendar's counter within a timezone. A rolling budget shares the days of daily ones. */
export function calendarKey({ window, fiscal_start_month, starts_on }: Calendar): string {
  switch (window) {
    case 'quarterly':
      return `quarterly ${firstMonth(fiscal_start_month)}`;
    case 'total':
      return `total ${starts_on}`;
    case 'rolling':
      return 'daily';
    case 'hourly':
    case 'daily':
    case 'weekly':
    case 'monthly':
      return window;
  }
}

/** The ends of windows as answers show them: a call counts in many budgets, and most of their windows are one object (`windowAt`). */
const shownEnds = new WeakMap<Interval, string>();

/** The end of a window as answers show it: null, if it does not end. */
export function shownEnd(window: Interval): string | null {
  if (window.endMs === NEVER_MS) return null;
  const known = shownEnds.get(window);
  if (known !== undefined) return known;
  const shown = isoTime(window.endMs);
  shownEnds.set(window, shown);
  return shown;
}

export function dateIn(timezone: string, epochMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone).toPlainDate();
}

function computeWindow(calendar: Calendar, epochMs: number): Remembered {
  const { timezone, rolling_days, starts_on } = calendar;
  if (calendar.window === 'total') {
    const startMs = starts_on ? startOf(timezone, Temporal.PlainDate.from(starts_on)) : 0;
    return { moments: { startMs: -Infinity, endMs: NEVER_MS }, window: { startMs, endMs: NEVER_MS } };
  }
  if (calendar.window === 'rolling') {
    const day = dayAt(calendar, epochMs);
    const first = dateIn(timezone, day.startMs).subtract({ days: (rolling_days ?? 1) - 1 });
    return { moments: day, window: { startMs: startOf(timezone, first), endMs: day.endMs } };
  }
  if (calendar.window !== 'quarterly') {
    const window = calendarWindowAt(calendar.window, timezone, epochMs);
    return { moments: window, window };
  }
  const today = dateIn(timezone, epochMs);
  const months = (today.month - firstMonth(calendar.fiscal_start_month) + 12) % MONTHS_OF_QUARTER;
  const first = today.with({ day: 1 }).subtract({ months });
  const next = first.add({ months: MONTHS_OF_QUARTER });
  const window = { startMs: startOf(timezone, first), endMs: startOf(timezone, next) };
  return { moments: window, window };
}

/** The first moment of a date, which is not midnight where the clock jumps over midnight. */
function startOf(timezone: string, date: Temporal.PlainDate): number {
  return date.toZonedDateTime(timezone).epochMilliseconds;
}

/** The first month, 1 to 3, in which a quarter begins: those of years that begin in January and in April are the same. */
function firstMonth(fiscalStartMonth: number | null | undefined): number {
  return (((fiscalStartMonth ?? 1) - 1) % MONTHS_OF_QUARTER) + 1;
}
