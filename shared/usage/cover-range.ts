import type { Organization } from '../organizations/model.ts';
import { periodStarts, QUARTER_HOUR_MS } from './periods.ts';
import { joinReads, type Read, rowEnd } from './plan-reads.ts';
import { quarterHorizonMs } from './range.ts';

/** Rollups whose sums are added (1) or taken away (-1). */
export interface SignedRead extends Read {
  sign: 1 | -1;
}

/** A read that is only added. */
export function added(read: Read): SignedRead {
  return { ...read, sign: 1 };
}

interface Cover {
  reads: SignedRead[];
  /** Of reading it, in periods that are over. */
  cost: number;
}

/** A period that is not over is read rollup by rollup, the others mostly from their sheets (ADR 0060). */
const OPEN_PERIOD_COST = 20;

const FINER = { month: 'day', day: 'quarter_hour' } as const;

/**
 * Few rollups whose sums are exactly what happened in `[fromMs, toMs)`: of a part of a month (or day) either its days
 * (or quarter hours), or the whole of it less the rest, whichever is less to read. So the last 30 days are mostly this
 * month, and a month less its first days. Pure. Exact when all is read at one moment; the bounds lie on quarter hours,
 * and `planReads` can answer them.
 */
export function coverRange(
  organization: Pick<Organization, 'timezones'>,
  fromMs: number,
  toMs: number,
  nowMs: number,
): SignedRead[] {
  return joinReads(cover({ organization, nowMs }, 'month', fromMs, toMs).reads);
}

interface Calendar {
  organization: Pick<Organization, 'timezones'>;
  nowMs: number;
}

function cover(calendar: Calendar, period: Read['period'], fromMs: number, toMs: number): Cover {
  if (period === 'quarter_hour') return coverByQuarters(calendar.nowMs, fromMs, toMs);
  const parts: Cover[] = [];
  for (let at = fromMs; at < toMs; ) {
    const end = Math.min(toMs, rowEnd(calendar.organization.timezones, period, at));
    parts.push(coverPart(calendar, period, at, end));
    at = end;
  }
  return together(parts);
}

/** A part of one month or day. */
function coverPart(calendar: Calendar, period: 'month' | 'day', fromMs: number, toMs: number): Cover {
  const { organization, nowMs } = calendar;
  const startMs = periodStarts(organization, fromMs)[period];
  const endMs = rowEnd(organization.timezones, period, fromMs);
  const whole = { period, fromMs: startMs, toMs: endMs, sign: 1 } as const;
  const wholeCover: Cover = { reads: [whole], cost: costOf(startMs, endMs, nowMs) };
  if (startMs === fromMs && endMs === toMs) return wholeCover;
  const finer = FINER[period];
  const direct = cover(calendar, finer, fromMs, toMs);
  const rest = [cover(calendar, finer, startMs, fromMs), cover(calendar, finer, toMs, endMs)];
  const around = together([wholeCover, ...rest.map(negated)]);
  return around.cost < direct.cost ? around : direct;
}

/** What lies ahead of now costs nothing. */
function costOf(startMs: number, endMs: number, nowMs: number): number {
  if (startMs >= nowMs) return 0;
  return endMs > nowMs ? OPEN_PERIOD_COST : 1;
}

/** What lies ahead of now costs nothing; what lies behind the horizon is not there. */
function coverByQuarters(nowMs: number, fromMs: number, toMs: number): Cover {
  if (fromMs >= toMs) return { reads: [], cost: 0 };
  const isGone = fromMs < quarterHorizonMs(nowMs);
  const quarters = Math.max(0, Math.min(toMs, nowMs) - fromMs) / QUARTER_HOUR_MS;
  return {
    reads: [{ period: 'quarter_hour', fromMs, toMs, sign: 1 }],
    cost: isGone ? Number.POSITIVE_INFINITY : quarters,
  };
}

function together(covers: readonly Cover[]): Cover {
  return {
    reads: covers.flatMap(({ reads }) => reads),
    cost: covers.reduce((sum, { cost }) => sum + cost, 0),
  };
}

function negated({ reads, cost }: Cover): Cover {
  return { reads: reads.map((read) => ({ ...read, sign: read.sign === 1 ? -1 : 1 })), cost };
}
