/** How much of a time is shown: minutes suit most, seconds what people compare, milliseconds a single call. */
export type Precision = 'minute' | 'second' | 'millisecond';

const formatters = new Map<string, Intl.DateTimeFormat>();

/** A formatter is expensive to make, and a table needs the same one for each row. */
function formatted(at: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([zone, options]);
  const known = formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
  formatters.set(key, known);
  return known.format(at);
}

const DAY = { day: 'numeric', month: 'short' } as const;
const FULL_DAY = { ...DAY, year: 'numeric' } as const;
const CLOCK: Record<Precision, Intl.DateTimeFormatOptions> = {
  minute: { hour: '2-digit', minute: '2-digit' },
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  millisecond: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
};

/** The day of a moment: 23 Nov, with the year unless it is this one. */
export function dayOf(at: string | number, zone: string, nowMs: number = Date.now()): string {
  const ms = new Date(at).getTime();
  const yearOf = (each: number) => formatted(each, zone, { year: 'numeric' });
  return formatted(ms, zone, yearOf(ms) === yearOf(nowMs) ? DAY : FULL_DAY);
}

/** The time of day of a moment: 10:48. */
export function clockOf(at: string | number, zone: string, precision: Precision = 'minute'): string {
  return formatted(new Date(at).getTime(), zone, CLOCK[precision]);
}

/** A moment: 23 Nov, 10:48. */
export function dateTime(
  at: string | number,
  zone: string,
  { precision = 'minute', nowMs = Date.now() }: { precision?: Precision; nowMs?: number } = {},
): string {
  return `${dayOf(at, zone, nowMs)}, ${clockOf(at, zone, precision)}`;
}

/** A moment for somebody whose clock shows `zone`: 23 Nov 2026, 10:48:20 in New York · 15:48:20 UTC. */
export function inWords(at: string | number, zone: string, precision: Precision = 'second'): string {
  const ms = new Date(at).getTime();
  const clock = precision === 'minute' ? 'second' : precision;
  const dayIn = (each: string) => formatted(ms, each, FULL_DAY);
  const utc = `${clockOf(ms, 'UTC', clock)} UTC`;
  if (placeOf(zone) === 'UTC') return `${dayIn('UTC')}, ${utc}`;
  const isSameDay = dayIn(zone) === dayIn('UTC');
  const own = `${dayIn(zone)}, ${clockOf(ms, zone, clock)} in ${placeOf(zone)}`;
  return `${own} · ${isSameDay ? '' : `${dayIn('UTC')}, `}${utc}`;
}

/** The place that a zone is named for: New York. */
export function placeOf(zone: string): string {
  const place = (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
  return /^(UTC|UCT|GMT|Zulu|Universal)$/.test(place) ? 'UTC' : place;
}

/** A day as people say it, of a date as the API has it. */
export function dateWords(date: string, nowMs: number = Date.now()): string {
  return dayOf(`${date}T00:00:00Z`, 'UTC', nowMs);
}

/** The start of a bucket, as an axis shows it. */
export function bucketLabel(iso: string, interval: string, zone: string, nowMs: number = Date.now()): string {
  if (interval === 'hour') return clockOf(iso, zone);
  if (interval === 'month')
    return formatted(new Date(iso).getTime(), zone, { month: 'short', year: 'numeric' });
  return dayOf(iso, zone, nowMs);
}

/**
 * The start of a bucket of a budget, whose days may begin in another zone than that of the page: then with the hour at which
 * they begin here.
 */
export function budgetLabel(iso: string, interval: string, zones: { budget: string; page: string }): string {
  const label = bucketLabel(iso, interval, zones.page);
  return interval === 'hour' || zones.budget === zones.page ? label : dateTime(iso, zones.page);
}

/** Seconds as people say them. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return inTwo(seconds, [3_600, 'h'], [60, 'min']);
  return inTwo(seconds, [86_400, 'd'], [3_600, 'h']);
}

/** Whole units and what is left in smaller ones, unless that is none. */
function inTwo(seconds: number, [large, name]: [number, string], [small, rest]: [number, string]): string {
  const left = Math.floor((seconds % large) / small);
  const whole = `${Math.floor(seconds / large)} ${name}`;
  return left === 0 ? whole : `${whole} ${left} ${rest}`;
}

/** How long a call took: 812 ms, 8.8 s. */
export function latency(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  return `${seconds < 100 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

export function ago(at: string | number, nowMs: number = Date.now()): string {
  const seconds = Math.round((nowMs - new Date(at).getTime()) / 1_000);
  if (seconds < 0) return `in ${duration(-seconds)}`;
  return seconds < 5 ? 'just now' : `${duration(seconds)} ago`;
}
