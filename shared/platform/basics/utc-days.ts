import { DAY_MS } from './interval.ts';

/** `2026-11-22`, the UTC day of an instant. */
export function dayAt(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** The start of a day like `2026-11-22`, epoch ms. */
export function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

export function dayBefore(day: string): string {
  return dayAt(startOfDay(day) - DAY_MS);
}

/** The last day that is over. */
export function lastFinishedDay(nowMs: number): string {
  return dayBefore(dayAt(nowMs));
}

export function firstOfMonth(epochMs: number): string {
  return `${dayAt(epochMs).slice(0, 7)}-01`;
}

/** The days from `first` to `last`, newest first; none where `last` comes before. */
export function daysDescending(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = last; day >= first; day = dayBefore(day)) days.push(day);
  return days;
}

/** Days that come after `day`, to `last`. */
export function daysBetween(day: string, last: string): number {
  return Math.max(0, Math.round((startOfDay(last) - startOfDay(day)) / DAY_MS));
}
