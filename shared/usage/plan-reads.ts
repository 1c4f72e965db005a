import type { Organization } from '../organizations/model.ts';
import { nextChange, nextStart, type Zones } from './calendar.ts';
import type { RollupPeriod } from './model.ts';
import { periodStarts } from './periods.ts';

/** Rollups of one period whose starts lie in `[fromMs, toMs)`. */
export interface Read {
  period: RollupPeriod;
  fromMs: number;
  toMs: number;
}

/**
 * The rollups that hold exactly what happened in `[edges[0], edges.at(-1))`, none of them reaching over an edge:
 * months where a whole one fits, else days, else quarter hours. Pure. Every edge lies on a quarter hour.
 */
export function planReads(organization: Pick<Organization, 'timezones'>, edges: readonly number[]): Read[] {
  const reads: Read[] = [];
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const end = edges[index + 1] ?? 0;
    let at = edges[index] ?? 0;
    while (at < end) {
      const read = largestAt(organization, at, end);
      reads.push(read);
      at = read.toMs;
    }
  }
  return joinReads(reads);
}

function largestAt(organization: Pick<Organization, 'timezones'>, at: number, end: number): Read {
  const starts = periodStarts(organization, at);
  for (const period of ['month', 'day'] as const) {
    if (starts[period] !== at) continue;
    const toMs = rowEnd(organization.timezones, period, at);
    if (toMs <= end) return { period, fromMs: at, toMs };
  }
  return {
    period: 'quarter_hour',
    fromMs: at,
    toMs: Math.min(end, rowEnd(organization.timezones, 'day', at)),
  };
}

/** The rows of a period that hold any of `[fromMs, toMs)`: where each begins and ends. */
export function* periodsIn(
  organization: Pick<Organization, 'timezones'>,
  period: 'day' | 'month',
  fromMs: number,
  toMs: number,
): Generator<Read & { period: 'day' | 'month' }> {
  let start = periodStarts(organization, fromMs)[period];
  while (start < toMs) {
    const end = rowEnd(organization.timezones, period, start);
    yield { period, fromMs: start, toMs: end };
    start = end;
  }
}

/** A read with each day and month by itself. */
export function partsOf<Some extends Read>(
  organization: Pick<Organization, 'timezones'>,
  read: Some,
): Some[] {
  const { period, fromMs, toMs } = read;
  if (period === 'quarter_hour') return [read];
  return [...periodsIn(organization, period, fromMs, toMs)].map((part) => ({ ...read, ...part }));
}

/** Where the row of a period that holds `at` ends: at the next start, or where the timezone changes before it. */
export function rowEnd(zones: Zones, period: 'day' | 'month', at: number): number {
  return Math.min(nextStart(zones, period, at), nextChange(zones, at));
}

/** Neighbours of one kind are one read. */
export function joinReads<Some extends Read & { sign?: 1 | -1 }>(reads: readonly Some[]): Some[] {
  const all: Some[] = [];
  for (const read of reads) {
    const last = all.at(-1);
    const follows = last?.period === read.period && last.sign === read.sign && last.toMs === read.fromMs;
    if (last && follows) last.toMs = read.toMs;
    else all.push({ ...read });
  }
  return all;
}
