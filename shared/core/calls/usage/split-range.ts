import type { Organization } from '../../accounts/organizations/model.ts';
import { bucketOf, periodEnd, periodStarts, quarterHorizonMs } from './calendar.ts';
import type { RollupPeriod, SnapshotPeriod } from './model.ts';

/** The quarter hours, days or months whose starts lie in `[fromMs, toMs)`, epoch ms. */
export interface Part {
  period: RollupPeriod | SnapshotPeriod;
  fromMs: number;
  toMs: number;
  /** Its sums are taken away instead of added. */
  sign?: -1;
}

/** The rollups that hold a part: those of its period, or of a month's days. */
export function rollupPeriodOf({ period }: Pick<Part, 'period'>): RollupPeriod {
  return period === 'month' ? 'day' : period;
}

/** One whole day or month. */
export type WholePart = Part & { period: SnapshotPeriod };

/**
 * The parts that hold exactly what happened in `[edges[0], edges.at(-1))`, none of them reaching over an edge:
 * months where a whole one fits, else days, else quarter hours. Pure. Every edge lies on a quarter hour.
 */
export function splitRange(organization: Pick<Organization, 'timezones'>, edges: readonly number[]): Part[] {
  const parts: Part[] = [];
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const end = edges[index + 1] ?? 0;
    let at = edges[index] ?? 0;
    while (at < end) {
      const part = largestAt(organization, at, end);
      parts.push(part);
      at = part.toMs;
    }
  }
  return joinParts(parts);
}

function largestAt(organization: Pick<Organization, 'timezones'>, at: number, end: number): Part {
  const starts = periodStarts(organization, at);
  for (const period of ['month', 'day'] as const) {
    if (starts[period] !== at) continue;
    const toMs = periodEnd(organization.timezones, period, at);
    if (toMs <= end) return { period, fromMs: at, toMs };
  }
  const toMs = Math.min(end, periodEnd(organization.timezones, 'day', at));
  return { period: 'quarter_hour', fromMs: at, toMs };
}

/**
 * The parts of a range with fewer quarter hours: a day of which one bucket holds the beginning or the end becomes the
 * whole day less what lies outside the range, where that is the shorter time. So today until now is today less what lies
 * ahead, which is next to nothing. Exact when all is read at one moment. Pure.
 */
export function splitPartialDays(
  organization: Pick<Organization, 'timezones'>,
  parts: readonly Part[],
  edges: readonly number[],
  nowMs: number,
): Part[] {
  const shorter = parts.flatMap((part) => {
    if (part.period !== 'quarter_hour') return [part];
    const days = [...wholeParts(organization, 'day', part.fromMs, part.toMs)];
    return days.flatMap((day) => splitDay(day, part, edges, nowMs));
  });
  return joinParts(shorter);
}

/** That part of a day that lies within `[fromMs, toMs)`. */
function splitDay(day: WholePart, { fromMs, toMs }: Part, edges: readonly number[], nowMs: number): Part[] {
  const period = 'quarter_hour';
  const inside: Part = { period, fromMs: Math.max(day.fromMs, fromMs), toMs: Math.min(day.toMs, toMs) };
  const around: Part[] = [
    { period, fromMs: day.fromMs, toMs: inside.fromMs, sign: -1 as const } as const,
    { period, fromMs: inside.toMs, toMs: day.toMs, sign: -1 as const } as const,
  ].filter((part) => part.fromMs < part.toMs);
  // Sums from outside the range count for its first or its last bucket.
  const isOutside = (part: Part) => part.toMs <= (edges[0] ?? 0) || part.fromMs >= (edges.at(-1) ?? 0);
  const isOfOneBucket = bucketOf(edges, inside.fromMs) === bucketOf(edges, inside.toMs - 1);
  const areKept = around.every((part) => part.fromMs >= quarterHorizonMs(nowMs));
  const elapsed = (part: Part) => Math.max(0, Math.min(part.toMs, nowMs) - part.fromMs);
  const aroundMs = around.reduce((sum, part) => sum + elapsed(part), 0);
  const isShorter = isOfOneBucket && areKept && around.every(isOutside) && aroundMs < elapsed(inside);
  return isShorter ? [day, ...around] : [inside];
}

/** The days or months that hold any of `[fromMs, toMs)`, each by itself. */
export function* wholeParts(
  organization: Pick<Organization, 'timezones'>,
  period: SnapshotPeriod,
  fromMs: number,
  toMs: number,
): Generator<WholePart> {
  let start = periodStarts(organization, fromMs)[period];
  while (start < toMs) {
    const end = periodEnd(organization.timezones, period, start);
    yield { period, fromMs: start, toMs: end };
    start = end;
  }
}

/** A part with each of its days or months by itself; one of quarter hours as it is. */
export function separate(organization: Pick<Organization, 'timezones'>, part: Part): Part[] {
  const { period, fromMs, toMs } = part;
  if (period === 'quarter_hour') return [part];
  return [...wholeParts(organization, period, fromMs, toMs)].map((whole) => ({ ...part, ...whole }));
}

/** Neighbours of one period become one part. */
export function joinParts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isAlike = last?.period === part.period && last.sign === part.sign;
    if (last && isAlike && last.toMs === part.fromMs) last.toMs = part.toMs;
    else joined.push({ ...part });
  }
  return joined;
}
