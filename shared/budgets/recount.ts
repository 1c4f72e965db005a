import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { teamsByUser } from '../organizations/teams.ts';
import { takeOrganizationRules } from '../organizations/versions.ts';
import { CLOCK_LAG_MS, dateAt } from '../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS, SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import type { Interval } from '../platform/basics/interval.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { applyWrites, deleteRows, insertRow, updateRow, type Write } from '../platform/mongo/writes.ts';
import { providerOf } from '../pricing/provider-of.ts';
import type { Key, Match } from '../usage/cells.ts';
import { readRollups } from '../usage/read-rollups.ts';
import { splitRange } from '../usage/split-range.ts';
import { calendarWindowAt } from './calendar-windows.ts';
import type { WindowUsage } from './evaluate.ts';
import { createMatcher } from './filter.ts';
import { counterKey, windowKey } from './keys.ts';
import { type Budget, budgetRows, budgetWindowRows, COUNTED, type CounterKey, noCounts } from './model.ts';
import { planRuleChange } from './plan-evaluation.ts';
import { planHistory } from './plan-history.ts';
import { readWindows } from './read-windows.ts';

/** The windows that a recount found, and the writes that put them in place of the counter's former ones. */
export interface Recount {
  windows: readonly WindowUsage[];
  writes: readonly Write[];
}

type TeamsOf = ReadonlyMap<string, readonly string[]>;

/**
 * Counts every window of a counter that may still fire, from the rollups. Earlier ones stay as they were. A team is the
 * members that it has in `teamsOf`, or now. Exact in a transaction that raises the organization's version (`planRuleChange`).
 */
export async function recountCounter(
  ctx: Context,
  organization: Organization,
  counter: CounterKey,
  transaction: ClientSession,
  teamsOf?: TeamsOf,
): Promise<Recount> {
  const org_id = organization._id;
  await applyWrites(ctx, takeOrganizationRules(org_id), transaction);
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
  const parts = splitRange(organization, edges);
  const matches = rollupMatcher(counter);
  const windows = new Map<number, WindowUsage>();
  // From the rollups alone: looking for snapshots makes this transaction longer, and signals that commit meanwhile end it.
  for (const part of parts) {
    const columns = ['start', ...(counter.filter ? FILTERED : [])] as const;
    const cells = readRollups(ctx, organization._id, { part, match, columns }, transaction);
    for await (const { startMs, cell } of cells) {
      if (matches && !matches(cell, startMs)) continue;
      const interval = windowAt(startMs);
      const window = windows.get(interval.startMs) ?? { interval, usage: noCounts() };
      windows.set(interval.startMs, window);
      for (const measure of COUNTED) window.usage[measure] += Number(cell[measure]);
      if (matches) window.usage.sessions = 0;
    }
  }
  return [...windows.values()];
}

/** The columns of rollups that filters ask about. */
export const FILTERED = ['model', 'provider', 'adapter'] as const;

/**
 * Returns the test of rollups (at `startMs`, epoch ms) by a budget's filter; null without one. Rollups of earlier versions have the
 * provider of their model.
 */
export function rollupMatcher({
  filter,
}: Pick<CounterKey, 'filter'>): ((row: Key, startMs: number) => boolean) | null {
  if (!filter) return null;
  const matches = createMatcher(filter);
  return ({ model, provider, adapter }, startMs) => {
    const named = String(model);
    const of = provider ? String(provider) : providerOf({ model: named }, startMs);
    return matches({ model: named, provider: of, adapter: String(adapter) }) === true;
  };
}

/** The filter of the rollups of a counter's scope. A team is the members that it has in `teamsOf`, or now. */
export async function matchOf(
  ctx: Context,
  orgId: string,
  { scope, scope_id }: CounterKey,
  transaction: ClientSession,
  teamsOf?: TeamsOf,
): Promise<Match> {
  if (scope === 'org') return {};
  if (scope === 'user') return { user_id: scope_id };
  if (scope === 'project') return { project_id: scope_id };
  const teams: TeamsOf = teamsOf ?? (await teamsByUser(ctx, orgId, transaction));
  const inTeam = [...teams].filter(([, names]) => names.includes(scope_id));
  return { user_id: { $in: inTeam.map(([userId]) => userId) } };
}

/** The bounds of the windows that hold any of `[fromMs, toMs)`. */
function windowEdges(windowAt: (epochMs: number) => Interval, fromMs: number, toMs: number): number[] {
  const edges = [windowAt(fromMs).startMs];
  for (let edge = edges[0] ?? fromMs; edge < toMs; edges.push(edge)) edge = windowAt(edge).endMs;
  return edges;
}

/** The teams of a user before and after a change. */
export interface TeamChange {
  orgId: string;
  userId: string;
  before: readonly string[];
  after: readonly string[];
}

/**
 * The plan that recounts the budgets of teams that a user joins, stays in or leaves, in the transaction of that change: a team is
 * its present members, as in the usage reads. Signals that are recorded meanwhile see either the old team and its count or
 * the new.
 */
export async function planTeamChange(
  ctx: Context,
  { orgId, userId, before, after }: TeamChange,
  transaction: ClientSession,
): Promise<Plan> {
  const teams = [...new Set([...before, ...after])];
  if (teams.length === 0) return NO_PLAN;
  const change = planRuleChange(orgId, ctx.clock.now());
  const ofTeams = { org_id: orgId, scope: 'team' as const, scope_id: { $in: teams } };
  const budgets = await budgetRows(ctx).find(ofTeams, { session: transaction }).toArray();
  if (budgets.length === 0) return change;
  const organization = await readOrganization(ctx, orgId, transaction);
  const teamsOf = await teamsByUser(ctx, orgId, transaction);
  teamsOf.set(userId, [...after]);
  const writes: Write[] = [];
  for (const sharing of Map.groupBy(budgets, counterKey).values())
    writes.push(...(await recountShared(ctx, organization, { budgets: sharing, teamsOf }, transaction)));
  return joinPlans(change, { writes, wakeUps: [] });
}

/** The writes that recount the one counter of these budgets. Changes in windows that are over raise no events. */
async function recountShared(
  ctx: Context,
  organization: Organization,
  { budgets, teamsOf }: { budgets: readonly Budget[]; teamsOf: TeamsOf },
  transaction: ClientSession,
): Promise<Write[]> {
  const [counter] = budgets;
  if (!counter) return [];
  const nowMs = ctx.clock.now();
  const key = { org_id: organization._id, counter: counterKey(counter) };
  const found = await readWindows(ctx, key, transaction);
  const before = new Map(found.map((window) => [window.interval.startMs, window]));
  const { windows, writes } = await recountCounter(ctx, organization, counter, transaction, teamsOf);
  const history = budgets.flatMap((budget) => [
    updateRow(budgetRows, { _id: budget._id }, { $set: { counted_at: dateAt(nowMs) } }),
    ...planHistory(budget, windows, before, nowMs),
  ]);
  return [...writes, ...history];
}
