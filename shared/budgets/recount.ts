import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { teamsByUser } from '../organizations/teams.ts';
import { takeOrganizationRules } from '../organizations/versions.ts';
import { CLOCK_LAG_MS, dateAt } from '../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS, SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { applyWrites, deleteRows, insertRow, updateRow, type Write } from '../platform/mongo/writes.ts';
import { providerOf } from '../pricing/provider-of.ts';
import { nextStart } from '../usage/calendar.ts';
import type { Key, Match } from '../usage/cells.ts';
import { periodStarts, quarterHorizonMs } from '../usage/periods.ts';
import { readRollups } from '../usage/read-rollups.ts';
import { splitRange } from '../usage/split-range.ts';
import type { WindowUsage } from './evaluate.ts';
import { createMatcher } from './filter.ts';
import { counterKey, personRowKey, personWindowKey, windowKey } from './keys.ts';
import {
  type Budget,
  budgetRows,
  budgetWindowRows,
  COUNTED,
  type CounterKey,
  noCounts,
  personWindowRows,
} from './model.ts';
import { logEverything } from './people-log.ts';
import { planRuleChange } from './plan-evaluation.ts';
import { planCountedHistory } from './plan-history.ts';
import { readExceptions } from './read-exceptions.ts';
import { readPersonWindows, readWindows } from './read-windows.ts';
import { countedWindowAt, NEVER_MS, windowAt } from './windows.ts';

/** The windows that a recount found, and the writes that put them in place of the counter's former ones. */
export interface Recount {
  /** The moment from which they count, epoch ms. */
  fromMs: number;
  windows: readonly RecountedWindow[];
  writes: readonly Write[];
}

/** A window, of a template's counter that of one person. */
export interface RecountedWindow extends WindowUsage {
  person: string | null;
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
  { teamsOf, person }: RecountOptions = {},
): Promise<Recount> {
  const org_id = organization._id;
  await applyWrites(ctx, takeOrganizationRules(org_id), transaction);
  const match = await matchOf(ctx, org_id, counter, transaction, { teamsOf, person });
  const nowMs = ctx.clock.now();
  const first = windowAt(counter, nowMs - CLOSED_WINDOW_FIRES_MS);
  const fromMs = knownFrom(organization, first.startMs, nowMs);
  const windows = await countWindows(ctx, organization, { counter, fromMs, match }, transaction);
  const key = { org_id, counter: counterKey(counter) };
  const cleared = { ...key, window_start: { $gte: dateAt(first.startMs) } };
  if (!counter.per)
    return {
      fromMs,
      windows,
      writes: [deleteRows(budgetWindowRows, cleared), ...windows.map((window) => windowRow(key, window))],
    };
  const own = person === undefined ? {} : { person };
  return {
    fromMs,
    windows,
    writes: [
      deleteRows(personWindowRows, { ...cleared, ...own }),
      ...windows.map((window) => windowRow(key, window)),
      logEverything(org_id),
    ],
  };
}

interface RecountOptions {
  teamsOf?: TeamsOf | undefined;
  /** Counts this person alone, of a template. */
  person?: string | undefined;
}

/** The write of what was counted, in the first counter shard. */
function windowRow(
  { org_id, counter }: { org_id: string; counter: string },
  { interval, person, usage }: RecountedWindow,
): Write {
  const { startMs, endMs } = interval;
  const row = { org_id, counter, window_start: dateAt(startMs), window_end: dateAt(endMs), ...usage };
  if (person === null)
    return insertRow(budgetWindowRows, { _id: windowKey(org_id, counter, startMs, 0), ...row });
  const _id = personRowKey(personWindowKey(org_id, counter, startMs, person), 0);
  return insertRow(personWindowRows, { _id, person, ...row });
}

/**
 * The moment from which the rollups know what was used since `startMs`: 35 days back they are days of the organization, so it is
 * one of its midnights. Pure. Epoch ms.
 */
export function knownFrom(
  { timezones }: Pick<Organization, 'timezones'>,
  startMs: number,
  nowMs: number,
): number {
  const isExact = startMs >= quarterHorizonMs(nowMs) || periodStarts({ timezones }, startMs).day === startMs;
  return isExact ? startMs : nextStart(timezones, 'day', startMs);
}

/** Counts the windows of a counter, of which one begins at `fromMs` or counts from there on. */
async function countWindows(
  ctx: Context,
  organization: Organization,
  { counter, fromMs, match }: { counter: CounterKey; fromMs: number; match: Match },
  transaction: ClientSession,
): Promise<RecountedWindow[]> {
  // Another process may have the right time, and so signals of a window that has not begun by this clock.
  const untilMs = ctx.clock.now() + CLOCK_LAG_MS + SIGNAL_AGE_MS.ahead + 1;
  const edges = windowEdges(counter, fromMs, untilMs);
  // Nothing was used later, and a window may not end.
  const lastMs = nextStart(organization.timezones, 'month', untilMs);
  const parts = splitRange(
    organization,
    edges.map((edge) => (edge === NEVER_MS ? lastMs : edge)),
  );
  const matches = rollupMatcher(counter);
  const windows = new Map<string, RecountedWindow>();
  // From the rollups alone: looking for snapshots makes this transaction longer, and signals that commit meanwhile end it.
  for (const part of parts) {
    const columns = [
      'start',
      ...(counter.per ? (['user_id'] as const) : []),
      ...(counter.filter ? FILTERED : []),
    ] as const;
    const cells = readRollups(ctx, organization._id, { part, match, columns }, transaction);
    for await (const { startMs, cell } of cells) {
      if (matches && !matches(cell, startMs)) continue;
      const interval = countedWindowAt(counter, startMs);
      const person = counter.per ? String(cell.user_id) : null;
      const name = `${interval.startMs} ${person}`;
      const window = windows.get(name) ?? { interval, person, usage: noCounts() };
      windows.set(name, window);
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
  { teamsOf, person }: RecountOptions = {},
): Promise<Match> {
  if (scope === 'org') return person === undefined ? {} : { user_id: person };
  if (scope === 'user') return { user_id: scope_id };
  if (scope === 'project') return { project_id: scope_id };
  const teams: TeamsOf = teamsOf ?? (await teamsByUser(ctx, orgId, transaction));
  const inTeam = [...teams].filter(([, names]) => names.includes(scope_id));
  const members = inTeam.map(([userId]) => userId);
  return { user_id: { $in: person === undefined ? members : members.filter((id) => id === person) } };
}

/** `fromMs`, and the ends of a counter's windows that hold any of `[fromMs, toMs)`. */
function windowEdges(counter: CounterKey, fromMs: number, toMs: number): number[] {
  const edges = [fromMs];
  for (let edge = fromMs; edge < toMs; edges.push(edge)) edge = countedWindowAt(counter, edge).endMs;
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
    writes.push(
      ...(await recountShared(ctx, organization, { budgets: sharing, teamsOf, userId }, transaction)),
    );
  return joinPlans(change, { writes, wakeUps: [] });
}

/**
 * The writes that recount the one counter of these budgets, of templates only the user's windows. Changes in windows that are
 * over raise no events.
 */
async function recountShared(
  ctx: Context,
  organization: Organization,
  { budgets, teamsOf, userId }: { budgets: readonly Budget[]; teamsOf: TeamsOf; userId: string },
  transaction: ClientSession,
): Promise<Write[]> {
  // The one that reaches back longest.
  const [counter] = budgets.toSorted((a, b) => (b.rolling_days ?? 0) - (a.rolling_days ?? 0));
  if (!counter) return [];
  const nowMs = ctx.clock.now();
  const key = { org_id: organization._id, counter: counterKey(counter) };
  const before = counter.per
    ? await readPersonWindows(ctx, { ...key, person: userId }, transaction)
    : await readWindows(ctx, key, transaction);
  const only = counter.per ? { teamsOf, person: userId } : { teamsOf };
  const { fromMs, windows, writes } = await recountCounter(ctx, organization, counter, transaction, only);
  const history: Write[] = [];
  for (const budget of budgets) {
    // The days of a rolling window that it had before stay, and the windows of others of a template.
    const from = budget.window === 'rolling' || budget.per ? {} : { counted_from: dateAt(fromMs) };
    const counted = { $set: { counted_at: dateAt(nowMs), ...from } };
    history.push(updateRow(budgetRows, { _id: budget._id }, counted));
    const ruled = { budget, exceptions: await readExceptions(ctx, budget, transaction) };
    history.push(...planCountedHistory(ruled, windows, before, nowMs));
  }
  return [...writes, ...history];
}
