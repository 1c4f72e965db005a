import type { Organization } from '../organizations/model.ts';
import { timezoneAt } from '../organizations/read-organization.ts';
import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import { nextChange, nextStart, type Zones } from './calendar.ts';
import type { RollupPeriod, SnapshotPeriod } from './model.ts';

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
