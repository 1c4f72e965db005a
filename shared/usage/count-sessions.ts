import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import type { SessionFilter } from '../sessions/list-sessions.ts';
import { isBeyondRollups, matchingAll } from '../sessions/match-sessions.ts';
import { sessionRows } from '../sessions/model.ts';
import { earliestCountedMs, periodEnd, periodStarts } from './periods.ts';
import { matchOf } from './read-usage.ts';
import { splitRange } from './split-range.ts';
import { sumRollups } from './sum-rollups.ts';

/**
 * Counts the sessions that match, at one moment. Rollups have the sessions of whole days, so only those that began in a
 * part of a day at an end of the range are counted one by one: the cost grows with the days, not with the sessions. With a
 * filter that rollups know nothing of, each session of the range is.
 */
export async function countSessions(
  ctx: Context,
  organization: Organization,
  filter: SessionFilter,
): Promise<number> {
  const { fromMs, toMs } = rangeOf(ctx, organization, filter);
  if (isBeyondRollups(filter)) return countEach(ctx, organization._id, filter, [fromMs, toMs]);
  const starts = periodStarts(organization, fromMs);
  const firstDayMs = starts.day === fromMs ? fromMs : periodEnd(organization.timezones, 'day', fromMs);
  const lastDayMs = periodStarts(organization, toMs).day;
  return inTransaction(ctx.db, async (transaction) => {
    if (firstDayMs >= lastDayMs) return countEach(ctx, organization._id, filter, [fromMs, toMs], transaction);
    const before = await countEach(ctx, organization._id, filter, [fromMs, firstDayMs], transaction);
    const parts = splitRange(organization, [firstDayMs, lastDayMs]);
    const asked = { parts, match: matchOf(filter), columns: [] };
    const [days] = await sumRollups(ctx, organization, asked, transaction);
    const after = await countEach(ctx, organization._id, filter, [lastDayMs, toMs], transaction);
    return before + (days?.sums.sessions ?? 0) + after;
  });
}

/** The filter's range, as far as there can be sessions: until the end of the day of the latest. */
function rangeOf(ctx: Context, organization: Organization, filter: SessionFilter) {
  const latestMs = ctx.clock.now() + SIGNAL_AGE_MS.ahead + 1;
  const endMs = periodEnd(organization.timezones, 'day', latestMs);
  const earliestMs = earliestCountedMs(organization.created_at.getTime());
  return {
    fromMs: Math.max(filter.fromMs ?? 0, periodStarts(organization, earliestMs).day),
    toMs: Math.min(filter.toMs ?? endMs, endMs),
  };
}

async function countEach(
  ctx: Context,
  orgId: string,
  filter: SessionFilter,
  [fromMs, toMs]: readonly [number, number],
  transaction?: ClientSession,
): Promise<number> {
  if (fromMs >= toMs) return 0;
  const stages = matchingAll(orgId, filter, {
    started_at: { $gte: dateAt(fromMs), $lt: dateAt(toMs) },
  });
  const [counted] = await sessionRows(ctx)
    .aggregate<{ n: number }>(
      [...stages, { $group: { _id: 1, n: { $sum: 1 } } }],
      transaction ? { session: transaction } : {},
    )
    .toArray();
  return counted?.n ?? 0;
}
