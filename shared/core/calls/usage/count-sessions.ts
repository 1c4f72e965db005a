import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import type { Context } from '../../../platform/context/context.ts';
import { inSteps } from '../../../platform/mongo/find-by-ids.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { findOpen } from '../sessions/find-open.ts';
import { isBeyondRollups, matchingFew, type SessionFilter } from '../sessions/match-sessions.ts';
import { sessionRows } from '../sessions/model.ts';
import { earliestCountedMs, periodEnd, periodStarts } from './calendar.ts';
import { matchOf } from './read-usage.ts';
import { splitRange } from './split-range.ts';
import { sumRollups } from './sum-rollups.ts';

/** Filters by something that few sessions have: those without are all less those with. */
const RARE = [
  ['state', { without: 'ended', with: 'open' }],
  ['errors', { without: false, with: true }],
  ['anomalous', { without: false, with: true }],
] as const;

type Range = readonly [fromMs: number, toMs: number];

/**
 * Counts the sessions that match, at one moment. Rollups have the sessions of whole days, so only those that began in a
 * part of a day at an end of the range are counted one by one: the cost grows with the days, not with the sessions. With a
 * filter by state, errors or anomalies, the few that are open or have any are counted too. From a cost up, and of some works,
 * each session is counted, by one command.
 */
export async function countSessions(
  ctx: Context,
  organization: Organization,
  filter: SessionFilter,
): Promise<number> {
  const range = rangeOf(ctx, organization, filter);
  const { minCostNusd, ids, having } = filter;
  const isEach = [minCostNusd, ids, having].some((asked) => asked !== undefined);
  if (isEach) return countEach(ctx, organization._id, filter, range);
  return inTransaction(ctx.db, (transaction) => countIn(ctx, organization, filter, range, transaction));
}

async function countIn(
  ctx: Context,
  organization: Organization,
  filter: SessionFilter,
  range: Range,
  transaction: ClientSession,
): Promise<number> {
  const count = (asked: SessionFilter) => countIn(ctx, organization, asked, range, transaction);
  for (const [name, value] of RARE) {
    if (filter[name] !== value.without) continue;
    const all = await count({ ...filter, [name]: undefined });
    return all - (await count({ ...filter, [name]: value.with }));
  }
  if (filter.state === 'open') return countOpen(ctx, organization._id, filter, range, transaction);
  if (isBeyondRollups(filter)) return countEach(ctx, organization._id, filter, range, transaction);
  return countByDays(ctx, organization, filter, range, transaction);
}

async function countOpen(
  ctx: Context,
  orgId: string,
  filter: SessionFilter,
  range: Range,
  transaction: ClientSession,
): Promise<number> {
  const open = await findOpen(ctx, orgId, { transaction });
  const counts = await inSteps(open, async (ids) => [
    await countEach(ctx, orgId, { ...filter, ids }, range, transaction),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

async function countByDays(
  ctx: Context,
  organization: Organization,
  filter: SessionFilter,
  [fromMs, toMs]: Range,
  transaction: ClientSession,
): Promise<number> {
  const starts = periodStarts(organization, fromMs);
  const firstDayMs = starts.day === fromMs ? fromMs : periodEnd(organization.timezones, 'day', fromMs);
  const lastDayMs = periodStarts(organization, toMs).day;
  const count = (range: Range) => countEach(ctx, organization._id, filter, range, transaction);
  if (firstDayMs >= lastDayMs) return count([fromMs, toMs]);
  const before = await count([fromMs, firstDayMs]);
  const parts = splitRange(organization, [firstDayMs, lastDayMs]);
  const asked = { parts, match: matchOf(filter), columns: [] };
  const [days] = await sumRollups(ctx, organization, asked, transaction);
  return before + (days?.sums.sessions ?? 0) + (await count([lastDayMs, toMs]));
}

/** The filter's range, as far as there can be sessions: until the end of the day of the latest. */
function rangeOf(ctx: Context, organization: Organization, filter: SessionFilter): Range {
  const latestMs = ctx.clock.now() + SIGNAL_AGE_MS.ahead + 1;
  const endMs = periodEnd(organization.timezones, 'day', latestMs);
  const earliestMs = earliestCountedMs(organization.created_at.getTime());
  return [
    Math.max(filter.fromMs ?? 0, periodStarts(organization, earliestMs).day),
    Math.min(filter.toMs ?? endMs, endMs),
  ];
}

async function countEach(
  ctx: Context,
  orgId: string,
  filter: SessionFilter,
  [fromMs, toMs]: Range,
  transaction?: ClientSession,
): Promise<number> {
  if (fromMs >= toMs) return 0;
  // No session began before or after the whole time, so nobody looks when each began.
  const isAlways =
    filter.minCostNusd !== undefined && filter.fromMs === undefined && filter.toMs === undefined;
  const time = isAlways ? {} : { started_at: { $gte: dateAt(fromMs), $lt: dateAt(toMs) } };
  const stages = [...matchingFew(orgId, filter, time), ...(filter.having ?? [])];
  const [counted] = await sessionRows(ctx)
    .aggregate<{ n: number }>(
      [...stages, { $group: { _id: 1, n: { $sum: 1 } } }],
      transaction ? { session: transaction } : {},
    )
    .toArray();
  return counted?.n ?? 0;
}
