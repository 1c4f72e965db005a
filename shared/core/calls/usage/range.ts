import { isoTime } from '../../../platform/basics/clock.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { timezoneAt } from '../../accounts/organizations/read-organization.ts';
import {
  bucketEdges,
  ceilToQuarter,
  floorToQuarter,
  nextStart,
  periodStarts,
  quarterHorizonMs,
  type SeriesInterval,
  zonesOf,
} from './calendar.ts';
import { type Part, splitPartialDays, splitRange } from './split-range.ts';

const DEFAULT_SPAN_MS = 30 * DAY_MS;
const LONGEST_SPAN_MS = 3_660 * DAY_MS;
const MOST_BUCKETS = 2_000;

export interface RangeInput {
  fromMs?: number | undefined;
  toMs?: number | undefined;
  interval: SeriesInterval;
  /** The organization's own, with its history, when undefined. */
  timezone?: string | undefined;
}

export interface Range {
  fromMs: number;
  toMs: number;
  interval: SeriesInterval;
  timezone: string;
  /** Bounds of the buckets. */
  edges: number[];
  /** The rollups that hold exactly this range, none of which belongs to two buckets. */
  parts: Part[];
  /** Likewise, where the whole range is one bucket. */
  wholeParts: Part[];
}

/**
 * Returns the rollups to read for a question about `[from, to)`: `from` rounded down and `to` up to 15 minutes, by default the last
 * 30 days. Throws `invalid_request` for more than `mostBuckets`, and when the rollups that are kept cannot answer it
 * exactly.
 */
export function rangeOf(
  ctx: Context,
  organization: Organization,
  input: RangeInput,
  mostBuckets = MOST_BUCKETS,
): Range {
  const nowMs = ctx.clock.now();
  const { fromMs, toMs } = boundsOf(ctx, input);
  const own = timezoneAt(organization, nowMs);
  const timezone = input.timezone ?? own;
  const zones = zonesOf(organization, timezone, nowMs);
  const edges = bucketEdges(zones, input.interval, fromMs, toMs, mostBuckets);
  if (edges.length - 1 > mostBuckets)
    throw new DomainError(
      'invalid_request',
      `That makes more than ${mostBuckets} buckets: ask for a shorter range or a longer interval.`,
    );
  const parts = exactParts(organization, edges, nowMs);
  const whole = [fromMs, toMs];
  return {
    fromMs,
    toMs,
    interval: input.interval,
    timezone,
    edges,
    parts,
    wholeParts: splitPartialDays(organization, splitRange(organization, whole), whole, nowMs),
  };
}

/**
 * The rollups that hold exactly the buckets between these edges, each of which lies on a quarter hour. Throws
 * `invalid_request` when the rollups that are kept do not.
 */
export function exactParts(organization: Organization, edges: readonly number[], nowMs: number): Part[] {
  const parts = splitRange(organization, edges);
  refuseInexact(organization, parts, nowMs, timezoneAt(organization, nowMs));
  return splitPartialDays(organization, parts, edges, nowMs);
}

/** `from` rounded down and `to` up to 15 minutes, by default the last 30 days. Throws `invalid_request`. */
export function boundsOf(
  ctx: Context,
  input: Pick<RangeInput, 'fromMs' | 'toMs'>,
): { fromMs: number; toMs: number } {
  const toMs = ceilToQuarter(input.toMs ?? ctx.clock.now());
  const fromMs = floorToQuarter(input.fromMs ?? toMs - DEFAULT_SPAN_MS);
  if (fromMs >= toMs) throw new DomainError('invalid_request', 'from must be before to.');
  if (toMs - fromMs > LONGEST_SPAN_MS) {
    throw new DomainError('invalid_request', 'from and to may lie at most ten years apart.');
  }
  return { fromMs, toMs };
}

function refuseInexact(organization: Organization, parts: readonly Part[], nowMs: number, own: string): void {
  const horizonMs = quarterHorizonMs(nowMs);
  const inexact = parts.find((part) => part.period === 'quarter_hour' && part.fromMs < horizonMs);
  if (!inexact) return;
  const dayMs = periodStarts(organization, inexact.fromMs).day;
  const nextMs = nextStart(organization.timezones, 'day', inexact.fromMs);
  throw new DomainError(
    'invalid_request',
    `Further back than 35 days (before ${isoTime(horizonMs)}) only whole days of the organization's timezone (${own}) ` +
      `are kept, so intervals of hours, another timezone, or a from or to inside a day cannot be answered exactly ` +
      `there. The days next to ${isoTime(inexact.fromMs)} begin at ${isoTime(dayMs)} and ${isoTime(nextMs)}.`,
    { exact_from: isoTime(horizonMs) },
  );
}
