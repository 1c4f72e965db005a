import type { ClientSession } from 'mongoose';
import { CLOCK_LAG_MS } from '../../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../../platform/basics/contract.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { teamsByUser } from '../../../accounts/organizations/teams.ts';
import { nextStart, periodStarts, quarterHorizonMs } from '../../../calls/usage/calendar.ts';
import type { Key, Match } from '../../../calls/usage/cells.ts';
import { readRollups } from '../../../calls/usage/read-rollups.ts';
import { splitRange } from '../../../calls/usage/split-range.ts';
import { providerOf } from '../../../pricing/provider-of.ts';
import { COUNTED, type CounterKey, noCounts } from '../rules/counted.ts';
import type { WindowUsage } from '../rules/evaluate.ts';
import { filteredCall, matcherOf } from '../rules/filtered-call.ts';
import { countedWindowAt, NEVER_MS } from '../rules/windows.ts';

/** A window, of a template's counter that of one person. */
export interface CountedWindow extends WindowUsage {
  person: string | null;
}

export type TeamsOf = ReadonlyMap<string, readonly string[]>;

/** The people whose usage a counter counts. */
export interface CountedPeople {
  /** The teams of each member; as they are now by default. */
  teamsOf?: TeamsOf | undefined;
  person?: string | undefined;
}

/**
 * Counts the windows of a counter from the rollups: from `sinceMs` on, which begins one of them, or from the first later moment
 * that the rollups know. A team is the members that it has in `teamsOf`, or now.
 */
export async function countSince(
  ctx: Context,
  organization: Organization,
  { counter, sinceMs, ...people }: { counter: CounterKey; sinceMs: number } & CountedPeople,
  transaction: ClientSession,
): Promise<{ fromMs: number; windows: CountedWindow[] }> {
  const match = await matchOf(ctx, organization._id, counter, transaction, people);
  const fromMs = knownFrom(organization, sinceMs, ctx.clock.now());
  const windows = await countWindows(ctx, organization, { counter, fromMs, match }, transaction);
  return { fromMs, windows };
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
): Promise<CountedWindow[]> {
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
  const windows = new Map<string, CountedWindow>();
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
  const matches = matcherOf(filter);
  return ({ model, provider, adapter }, startMs) => {
    const named = String(model);
    const counted = provider ? String(provider) : providerOf({ model: named }, startMs);
    const call = { model: named, provider: counted, adapter: String(adapter) };
    return matches(filteredCall(call, startMs)) === true;
  };
}

/** The filter of the rollups of a counter's scope. A team is the members that it has in `teamsOf`, or now. */
export async function matchOf(
  ctx: Context,
  orgId: string,
  { scope, scope_id }: CounterKey,
  transaction: ClientSession,
  { teamsOf, person }: CountedPeople = {},
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
