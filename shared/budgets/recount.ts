import type { ClientSession } from 'mongoose';
import { memberRows, type Organization } from '../organizations/model.ts';
import { timezoneAt } from '../organizations/read-organization.ts';
import { CLOSED_WINDOW_FIRES_MS, SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import type { Context } from '../platform/context/context.ts';
import { type RollupPeriod, rollupRows } from '../usage/model.ts';
import { periodStarts, QUARTER_HOUR_MS } from '../usage/periods.ts';
import { tallyKey, windowKey } from './keys.ts';
import { budgetWindowRows, TALLIED, type Tallied, type Tally } from './model.ts';
import { createPeriods, type Period } from './periods.ts';
import { addTo, noUsage } from './tally-signals.ts';

export interface CountedWindow {
  period: Period;
  usage: Tallied;
}

/**
 * Counts every window of a tally that may still fire from the rollups, and puts the result in place of what its
 * windows held. Exact when the transaction holds all gates. Returns what it counted.
 */
export async function recountTally(
  ctx: Context,
  organization: Organization,
  tally: Tally,
  transaction: ClientSession,
): Promise<CountedWindow[]> {
  const counted = await countWindows(ctx, organization, tally, transaction);
  const key = tallyKey(tally);
  const org_id = organization._id;
  await budgetWindowRows(ctx).deleteMany({ org_id, tally: key }, { session: transaction });
  const rows = counted.map(({ period, usage }) => ({
    _id: windowKey(org_id, key, period.startMs, 0),
    org_id,
    tally: key,
    window_start: new Date(period.startMs),
    window_end: new Date(period.endMs),
    ...usage,
  }));
  if (rows.length > 0) await budgetWindowRows(ctx).insertMany(rows, { session: transaction });
  return counted;
}

async function countWindows(
  ctx: Context,
  organization: Organization,
  tally: Tally,
  transaction: ClientSession,
): Promise<CountedWindow[]> {
  const nowMs = ctx.clock.now();
  const periods = createPeriods();
  const windowAt = (epochMs: number): Period => periods(tally.window, tally.timezone, epochMs);
  const fromMs = windowAt(nowMs - CLOSED_WINDOW_FIRES_MS).startMs;
  const toMs = nowMs + SIGNAL_AGE_MS.ahead + QUARTER_HOUR_MS;
  const who = await dimensionsOf(ctx, organization._id, tally, transaction);
  const windows = new Map<number, CountedWindow>();
  for (const span of spansOf(organization, windowAt, fromMs, toMs)) {
    for (const { _id, ...usage } of await sumRollups(ctx, organization._id, span, who, transaction)) {
      const period = windowAt(_id.getTime());
      const window = windows.get(period.startMs) ?? { period, usage: noUsage() };
      windows.set(period.startMs, window);
      addTo(window.usage, usage);
    }
  }
  return [...windows.values()];
}

/** The rollups of a tally's scope. A team is the members that it has now. */
async function dimensionsOf(
  ctx: Context,
  orgId: string,
  { scope, scope_id }: Tally,
  transaction: ClientSession,
): Promise<Record<string, unknown> | null> {
  if (scope === 'org') return null;
  if (scope === 'user') return { user_id: scope_id };
  if (scope === 'project') return { project_id: scope_id };
  const members = await memberRows(ctx)
    .find({ org_id: orgId }, { projection: { user_id: 1, teams: 1 }, session: transaction })
    .toArray();
  const inTeam = members.filter(({ teams }) => teams.includes(scope_id));
  return { user_id: { $in: inTeam.map(({ user_id }) => user_id) } };
}

interface Span {
  period: RollupPeriod;
  fromMs: number;
  toMs: number;
}

/** Days of the organization's calendar where one lies within a single window, quarter hours for the rest. */
function spansOf(
  organization: Organization,
  windowAt: (epochMs: number) => Period,
  fromMs: number,
  toMs: number,
): Span[] {
  const spans: Span[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const startMs = periodStarts(organization, atMs).day;
    const endMs = endOfDay(organization, startMs);
    const isWhole = startMs >= fromMs && endMs <= windowAt(startMs).endMs;
    const period: RollupPeriod = isWhole ? 'day' : 'quarter_hour';
    const last = spans.at(-1);
    if (last?.period === period) last.toMs = Math.min(endMs, toMs);
    else spans.push({ period, fromMs: atMs, toMs: Math.min(endMs, toMs) });
    atMs = endMs;
  }
  return spans;
}

/** A day of the rollups ends at the next local midnight, or where the organization's timezone changes. */
function endOfDay(organization: Organization, startMs: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(
    timezoneAt(organization, startMs),
  );
  const tomorrow = local.toPlainDate().add({ days: 1 }).toZonedDateTime(local.timeZoneId);
  const change = organization.timezones.find((entry) => entry.from.getTime() > startMs);
  return Math.min(tomorrow.epochMilliseconds, change?.from.getTime() ?? Number.POSITIVE_INFINITY);
}

async function sumRollups(
  ctx: Context,
  orgId: string,
  { period, fromMs, toMs }: Span,
  who: Record<string, unknown> | null,
  transaction: ClientSession,
): Promise<({ _id: Date } & Tallied)[]> {
  const start = { $gte: new Date(fromMs), $lt: new Date(toMs) };
  const sums = Object.fromEntries(TALLIED.map((measure) => [measure, { $sum: `$${measure}` }]));
  return rollupRows(ctx)
    .aggregate<{ _id: Date } & Tallied>(
      [
        { $match: { org_id: orgId, period, start } },
        ...(who ? [{ $match: who }] : []),
        { $group: { _id: '$start', ...sums } },
      ],
      { session: transaction },
    )
    .toArray();
}
