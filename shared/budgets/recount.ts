import type { ClientSession } from 'mongoose';
import { memberRows, type Organization } from '../organizations/model.ts';
import { timezoneAt } from '../organizations/read-organization.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS, SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import type { Interval } from '../platform/basics/interval.ts';
import type { Context } from '../platform/context/context.ts';
import { deleteRows, insertRow, type Write } from '../platform/mongo/writes.ts';
import { type RollupPeriod, rollupRows } from '../usage/model.ts';
import { periodStarts, QUARTER_HOUR_MS } from '../usage/periods.ts';
import { createCalendarWindows } from './calendar-windows.ts';
import { addTo, noUsage } from './count-signals.ts';
import { counterKey, windowKey } from './keys.ts';
import { budgetWindowRows, COUNTED, type CounterKey, type Counts } from './model.ts';

/** What a counter has counted in a window. */
export interface CountedWindow {
  interval: Interval;
  usage: Counts;
}

/** What a recount found, and the writes that put it in place of what the counter's windows held. */
export interface Recount {
  windows: readonly CountedWindow[];
  writes: readonly Write[];
}

/**
 * Counts every window of a counter that may still fire, from the rollups. Exact in a transaction that raises the
 * organization's version (`planRuleChange`).
 */
export async function recountCounter(
  ctx: Context,
  organization: Organization,
  counter: CounterKey,
  transaction: ClientSession,
): Promise<Recount> {
  const windows = await countWindows(ctx, organization, counter, transaction);
  const key = counterKey(counter);
  const org_id = organization._id;
  const rows = windows.map(({ interval, usage }) => ({
    _id: windowKey(org_id, key, interval.startMs, 0),
    org_id,
    counter: key,
    window_start: dateAt(interval.startMs),
    window_end: dateAt(interval.endMs),
    ...usage,
  }));
  const cleared = deleteRows(budgetWindowRows, { org_id, counter: key });
  return { windows, writes: [cleared, ...rows.map((row) => insertRow(budgetWindowRows, row))] };
}

async function countWindows(
  ctx: Context,
  organization: Organization,
  counter: CounterKey,
  transaction: ClientSession,
): Promise<CountedWindow[]> {
  const nowMs = ctx.clock.now();
  const calendarWindowAt = createCalendarWindows();
  const windowAt = (epochMs: number): Interval => calendarWindowAt(counter.window, counter.timezone, epochMs);
  const fromMs = windowAt(nowMs - CLOSED_WINDOW_FIRES_MS).startMs;
  const toMs = nowMs + SIGNAL_AGE_MS.ahead + QUARTER_HOUR_MS;
  const who = await dimensionsOf(ctx, organization._id, counter, transaction);
  const windows = new Map<number, CountedWindow>();
  for (const span of spansOf(organization, windowAt, fromMs, toMs)) {
    for (const { _id, ...usage } of await sumRollups(ctx, organization._id, span, who, transaction)) {
      const interval = windowAt(_id.getTime());
      const window = windows.get(interval.startMs) ?? { interval, usage: noUsage() };
      windows.set(interval.startMs, window);
      addTo(window.usage, usage);
    }
  }
  return [...windows.values()];
}

/** The rollups of a counter's scope. A team is the members that it has now. */
async function dimensionsOf(
  ctx: Context,
  orgId: string,
  { scope, scope_id }: CounterKey,
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
  windowAt: (epochMs: number) => Interval,
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
): Promise<({ _id: Date } & Counts)[]> {
  const start = { $gte: dateAt(fromMs), $lt: dateAt(toMs) };
  const sums = Object.fromEntries(COUNTED.map((measure) => [measure, { $sum: `$${measure}` }]));
  return rollupRows(ctx)
    .aggregate<{ _id: Date } & Counts>(
      [
        { $match: { org_id: orgId, period, start } },
        ...(who ? [{ $match: who }] : []),
        { $group: { _id: '$start', ...sums } },
      ],
      { session: transaction },
    )
    .toArray();
}
