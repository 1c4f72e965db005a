import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { timezoneAt } from '../../accounts/organizations/read-organization.ts';
import type { RollupPeriod, SnapshotPeriod } from './model.ts';

export const INTERVALS = ['none', 'hour', 'day', 'week', 'month'] as const;
export type SeriesInterval = (typeof INTERVALS)[number];

/** Timezones and the moments from which they hold, newest last, as an organization keeps them. */
export type Zones = Organization['timezones'];

/** The timezones of a question: the organization's own with their history, unless it names another one. */
export function zonesOf(
  organization: Pick<Organization, 'timezones'>,
  timezone: string | undefined,
  nowMs: number,
): Zones {
  if (timezone === undefined || timezone === timezoneAt(organization, nowMs)) return organization.timezones;
  return [{ from: new Date(0), timezone }];
}

/** The first moment of a date, in the timezone that held then. Epoch ms. */
export function startOfDate(zones: Zones, date: Temporal.PlainDate): number {
  const starts = zones.map(({ from, timezone }) =>
    Math.max(from.getTime(), date.toZonedDateTime(timezone).epochMilliseconds),
  );
  const isBeforeNext = (startMs: number, index: number) => {
    const next = zones[index + 1];
    return next === undefined || startMs < next.from.getTime();
  };
  return starts.find(isBeforeNext) ?? 0;
}

/**
 * The bounds of the buckets of `[fromMs, toMs)`: both ends and every start of an hour, day, ISO week or month in
 * between, in the local time that held then. A timezone that changes inside a bucket moves only its end. It stops soon
 * after `most` buckets, and the caller counts them.
 */
export function bucketEdges(
  zones: Zones,
  interval: SeriesInterval,
  fromMs: number,
  toMs: number,
  most = Number.POSITIVE_INFINITY,
): number[] {
  if (interval === 'none') return [fromMs, toMs];
  const edges = [fromMs];
  let edge = nextStart(zones, interval, fromMs);
  while (edge < toMs && edges.length <= most) {
    edges.push(edge);
    edge = nextStart(zones, interval, edge);
  }
  edges.push(toMs);
  return edges;
}

/** The first start of an interval after a moment. */
export function nextStart(zones: Zones, interval: Exclude<SeriesInterval, 'none'>, afterMs: number): number {
  let atMs = afterMs;
  for (;;) {
    const next = nextStartIn(timezoneAt({ timezones: zones }, atMs), interval, atMs);
    const change = nextChange(zones, atMs);
    if (change >= next) return next;
    atMs = change;
  }
}

/** When the timezone changes next after a moment; infinite when it does not. */
export function nextChange(zones: Zones, afterMs: number): number {
  return zones.find((entry) => entry.from.getTime() > afterMs)?.from.getTime() ?? Number.POSITIVE_INFINITY;
}

function nextStartIn(timezone: string, interval: Exclude<SeriesInterval, 'none'>, afterMs: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(timezone);
  if (interval === 'hour') {
    const sinceHour = (local.minute * 60 + local.second) * 1_000 + local.millisecond;
    return afterMs - sinceHour + 3_600_000;
  }
  return startOf(local.toPlainDate(), interval).toZonedDateTime(timezone).epochMilliseconds;
}

function startOf(date: Temporal.PlainDate, interval: 'day' | 'week' | 'month'): Temporal.PlainDate {
  if (interval === 'day') return date.add({ days: 1 });
  if (interval === 'week') return date.add({ days: 8 - date.dayOfWeek });
  return date.with({ day: 1 }).add({ months: 1 });
}

/** The date of a moment, in the timezone that held then. */
export function dateIn(zones: Zones, epochMs: number): Temporal.PlainDate {
  const timezone = timezoneAt({ timezones: zones }, epochMs);
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone).toPlainDate();
}

/** The bucket that holds a moment, by its index. A moment before the edges is in the first one, one after them in the last. */
export function bucketOf(edges: readonly number[], epochMs: number): number {
  let low = 0;
  let high = edges.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= epochMs) low = middle;
    else high = middle;
  }
  return low;
}

/** Every UTC offset in use is a multiple of it, so any local period is a whole number of these. */
export const QUARTER_HOUR_MS = 900_000;

/** The start of the quarter hour that holds a moment. Epoch ms. */
export function floorToQuarter(epochMs: number): number {
  return Math.floor(epochMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
}

/** The first start of a quarter hour at a moment or after it. Epoch ms. */
export function ceilToQuarter(epochMs: number): number {
  return Math.ceil(epochMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
}

export type PeriodStarts = Readonly<Record<RollupPeriod | SnapshotPeriod, number>>;

/**
 * The starts (epoch ms) of the three periods that hold a moment: the quarter hour, and the day and month of
 * the organization's timezone at that moment. A period in which the timezone changed begins at the change.
 */
export function periodStarts(organization: Pick<Organization, 'timezones'>, epochMs: number): PeriodStarts {
  const quarter = floorToQuarter(epochMs);
  const timezone = timezoneAt(organization, quarter);
  const since =
    organization.timezones.findLast((entry) => entry.from.getTime() <= quarter)?.from.getTime() ?? 0;
  const local = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(timezone);
  return {
    quarter_hour: quarter,
    day: Math.max(since, local.startOfDay().epochMilliseconds),
    month: Math.max(since, local.with({ day: 1 }).startOfDay().epochMilliseconds),
  };
}

/** Where the day or month that holds a moment ends: at the next start, or where the timezone changes before it. */
export function periodEnd(zones: Zones, period: SnapshotPeriod, at: number): number {
  return Math.min(nextStart(zones, period, at), nextChange(zones, at));
}

/** `periodStarts` that remembers what it computed: for one piece of work over many moments. */
export function createPeriodStarts(
  organization: Pick<Organization, 'timezones'>,
): (epochMs: number) => PeriodStarts {
  const known = new Map<number, PeriodStarts>();
  return (epochMs) => {
    const quarter = floorToQuarter(epochMs);
    const starts = known.get(quarter) ?? periodStarts(organization, epochMs);
    known.set(quarter, starts);
    return starts;
  };
}

/**
 * The earliest moment whose day a signal that arrives at `arrivalMs` may change: signals are at most 35 days old,
 * and a day begins up to a day before them.
 */
export function earliestCountedMs(arrivalMs: number): number {
  return arrivalMs - SIGNAL_AGE_MS.behind - DAY_MS;
}

/** The oldest moment of which every quarter hour is kept: no signal may be older when it arrives. */
export function quarterHorizonMs(nowMs: number): number {
  return floorToQuarter(nowMs - SIGNAL_AGE_MS.behind);
}
