import { CLOSED_WINDOW_FIRES_MS } from '../platform/basics/contract.ts';
import type { Interval } from '../platform/basics/interval.ts';
import type { Session } from '../sessions/model.ts';
import type { SessionChange } from '../sessions/plan-sessions.ts';
import { type CountedSignal, measuresOf } from '../usage/plan-rollups.ts';
import { createCalendarWindows } from './calendar-windows.ts';
import { counterKey } from './keys.ts';
import { type Budget, COUNTED, type CounterKey, type Counts } from './model.ts';

/** What an organization's budgets count, and who is in which team. */
export interface BudgetSet {
  budgets: readonly Budget[];
  counters: readonly CounterKey[];
  /** By `scope` and `scope_id`: see `scopeKey`. */
  byScope: ReadonlyMap<string, readonly CounterKey[]>;
  teamsOf: ReadonlyMap<string, readonly string[]>;
}

/** What a transaction adds to one window of one counter. */
export interface WindowChange {
  counter: string;
  interval: Interval;
  usage: Counts;
}

/** The budgets of an organization, arranged by whose usage they count. `teamsOf` gives a user's teams. Pure. */
export function makeBudgetSet(
  budgets: readonly Budget[],
  teamsOf: ReadonlyMap<string, readonly string[]>,
): BudgetSet {
  const counters = new Map(budgets.map((budget) => [counterKey(budget), budget]));
  const distinct: CounterKey[] = [...counters.values()];
  return {
    budgets,
    counters: distinct,
    byScope: Map.groupBy(distinct, ({ scope, scope_id }) => scopeKey(scope, scope_id)),
    teamsOf,
  };
}

/**
 * What new signals and new or moved sessions change in the windows of all matching budgets, each in the window that
 * holds its own time. A session counts at its start, as in the rollups. Pure.
 */
export function countSignals(
  set: BudgetSet,
  signals: readonly CountedSignal[],
  sessions: readonly SessionChange[],
  nowMs: number,
): WindowChange[] {
  const changes = new Map<string, WindowChange>();
  const windowAt = createCalendarWindows();
  const add = (who: Who, at: Date, measures: Partial<Counts>): void => {
    for (const counter of matching(set, who)) {
      const interval = windowAt(counter.window, counter.timezone, at.getTime());
      if (interval.endMs + CLOSED_WINDOW_FIRES_MS <= nowMs) continue;
      addTo(changeOf(changes, counterKey(counter), interval).usage, measures);
    }
  };
  for (const signal of signals) add(signal, signal.ts, measuresOf(signal));
  for (const { before, after } of sessions) {
    if (before?.started_at.getTime() === after.started_at.getTime()) continue;
    if (before) add(before, before.started_at, { sessions: -1 });
    add(after, after.started_at, { sessions: 1 });
  }
  return [...changes.values()].filter(({ usage }) => COUNTED.some((measure) => usage[measure] !== 0));
}

type Who = Pick<Session, 'org_id' | 'user_id' | 'project_id'>;

function matching(set: BudgetSet, { org_id, user_id, project_id }: Who): CounterKey[] {
  const teams = set.teamsOf.get(user_id) ?? [];
  return [
    scopeKey('org', org_id),
    scopeKey('user', user_id),
    scopeKey('project', project_id),
    ...teams.map((team) => scopeKey('team', team)),
  ].flatMap((key) => set.byScope.get(key) ?? []);
}

function scopeKey(scope: CounterKey['scope'], scopeId: string): string {
  return `${scope} ${scopeId}`;
}

function changeOf(changes: Map<string, WindowChange>, counter: string, interval: Interval): WindowChange {
  const key = `${interval.startMs} ${counter}`;
  const known = changes.get(key);
  if (known) return known;
  const change = { counter, interval, usage: noUsage() };
  changes.set(key, change);
  return change;
}

/** Nothing counted. */
export function noUsage(): Counts {
  return Object.fromEntries(COUNTED.map((measure) => [measure, 0])) as Counts;
}

/** Adds counts in place. */
export function addTo(usage: Counts, more: Partial<Counts>): void {
  for (const measure of COUNTED) usage[measure] += more[measure] ?? 0;
}
