import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { CLOCK_LAG_MS, dateAt } from '../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS, SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import type { Interval } from '../platform/basics/interval.ts';
import type { Context } from '../platform/context/context.ts';
import { deleteRows, insertRow, type Write } from '../platform/mongo/writes.ts';
import { rollupRows } from '../usage/model.ts';
import { matchStages } from '../usage/rollup-stages.ts';
import { type Part, splitRange } from '../usage/split-range.ts';
import type { Match } from '../usage/sum-tables.ts';
import { teamsByUser } from '../usage/teams.ts';
import { calendarWindowAt } from './calendar-windows.ts';
import { addTo, noUsage } from './count-signals.ts';
import type { WindowUsage } from './evaluate.ts';
import { counterKey, windowKey } from './keys.ts';
import { budgetWindowRows, COUNTED, type CounterKey, type Counts } from './model.ts';

/** What a recount found, and the writes that put it in place of what the counter's windows held. */
export interface Recount {
  windows: readonly WindowUsage[];
  writes: readonly Write[];
}

/**
 * Counts every window of a counter that may still fire, from the rollups. Those before them stay as they were. Exact in a
 * transaction that raises the organization's version (`planRuleChange`).
 */
export async function recountCounter(
  ctx: Context,
  organization: Organization,
  counter: CounterKey,
  transaction: ClientSession,
  teamsOf?: ReadonlyMap<string, readonly string[]>,
): Promise<Recount> {
  const org_id = organization._id;
  const match = await matchOf(ctx, org_id, counter, transaction, teamsOf);
  const sinceMs = ctx.clock.now() - CLOSED_WINDOW_FIRES_MS;
  const windows = await countWindows(ctx, organization, { counter, sinceMs, match }, transaction);
  const key = counterKey(counter);
  const rows = windows.map(({ interval, usage }) => ({
    _id: windowKey(org_id, key, interval.startMs, 0),
    org_id,
    counter: key,
    window_start: dateAt(interval.startMs),
    window_end: dateAt(interval.endMs),
    ...usage,
  }));
  const cleared = deleteRows(budgetWindowRows, {
    org_id,
    counter: key,
    window_end: { $gt: dateAt(sinceMs) },
  });
  return { windows, writes: [cleared, ...rows.map((row) => insertRow(budgetWindowRows, row))] };
}

async function countWindows(
  ctx: Context,
  organization: Organization,
  { counter, sinceMs, match }: { counter: CounterKey; sinceMs: number; match: Match },
  transaction: ClientSession,
): Promise<WindowUsage[]> {
  const windowAt = (epochMs: number): Interval => calendarWindowAt(counter.window, counter.timezone, epochMs);
  // Another process may have the right time, and so signals of a window that has not begun by this clock.
  const untilMs = ctx.clock.now() + CLOCK_LAG_MS + SIGNAL_AGE_MS.ahead + 1;
  const edges = windowEdges(windowAt, sinceMs, untilMs);
  const windows = new Map<number, WindowUsage>();
  for (const part of splitRange(organization, edges)) {
    for (const { _id, ...usage } of await sumRollups(ctx, organization._id, part, match, transaction)) {
      const interval = windowAt(_id.getTime());
      const window = windows.get(interval.startMs) ?? { interval, usage: noUsage() };
      windows.set(interval.startMs, window);
      addTo(window.usage, usage);
    }
  }
  return [...windows.values()];
}

/** The filter of the rollups of a counter's scope. A team is the members that it has in `teamsOf`, or now. */
async function matchOf(
  ctx: Context,
  orgId: string,
  { scope, scope_id }: CounterKey,
  transaction: ClientSession,
  teamsOf?: ReadonlyMap<string, readonly string[]>,
): Promise<Match> {
  if (scope === 'org') return {};
  if (scope === 'user') return { user_id: scope_id };
  if (scope === 'project') return { project_id: scope_id };
  const teams = teamsOf ?? (await teamsByUser(ctx, orgId, transaction));
  const inTeam = [...teams].filter(([, names]) => names.includes(scope_id));
  return { user_id: { $in: inTeam.map(([userId]) => userId) } };
}

/** The bounds of the windows that hold any of `[fromMs, toMs)`. */
function windowEdges(windowAt: (epochMs: number) => Interval, fromMs: number, toMs: number): number[] {
  const edges = [windowAt(fromMs).startMs];
  for (let edge = edges[0] ?? fromMs; edge < toMs; edges.push(edge)) edge = windowAt(edge).endMs;
  return edges;
}

async function sumRollups(
  ctx: Context,
  orgId: string,
  part: Part,
  who: Match,
  transaction: ClientSession,
): Promise<({ _id: Date } & Counts)[]> {
  const sums = Object.fromEntries(COUNTED.map((measure) => [measure, { $sum: `$${measure}` }]));
  return rollupRows(ctx)
    .aggregate<{ _id: Date } & Counts>(
      [...matchStages(orgId, part, who), { $group: { _id: '$start', ...sums } }],
      { session: transaction },
    )
    .toArray();
}
