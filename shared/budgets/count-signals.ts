import { CLOSED_WINDOW_FIRES_MS } from '../platform/basics/contract.ts';
import type { Interval } from '../platform/basics/interval.ts';
import { createPace } from '../platform/basics/next-turn.ts';
import type { Session } from '../sessions/model.ts';
import type { SessionChange } from '../sessions/plan-sessions.ts';
import { floorToQuarter } from '../usage/periods.ts';
import { type CountedSignal, measuresOf } from '../usage/plan-rollups.ts';
import { calendarWindowAt } from './calendar-windows.ts';
import { counterKey, scopesOf } from './keys.ts';
import { COUNTED, type CounterKey, type Counts } from './model.ts';

/** What an organization's budgets count, and who is in which team. */
export interface BudgetSet {
  /** Each counter once, by `scope` and `scope_id`: see `scopeKey`. */
  byScope: ReadonlyMap<string, readonly CounterKey[]>;
  teamsOf: ReadonlyMap<string, readonly string[]>;
}

/** What a transaction adds to one window of one counter. */
export interface WindowChange {
  counter: string;
  interval: Interval;
  usage: Counts;
}

/**
 * What new signals and new or moved sessions change in the windows of all matching budgets, each in the window that
 * holds its own time. A session counts at its start, as in the rollups. Signals are first summed by scope and quarter
 * hour, so that many signals cost an organization with many counters little. Pure, at a pace that holds nobody up.
 */
export async function countSignals(
  set: BudgetSet,
  signals: readonly CountedSignal[],
  sessions: readonly SessionChange[],
  nowMs: number,
): Promise<WindowChange[]> {
  const pace = createPace();
  const sums = sumByScope(set, signals, sessions);
  const changes: WindowChange[] = [];
  for (const [scope, quarters] of sums)
    for (const counter of set.byScope.get(scope) ?? []) {
      await pace();
      changes.push(...changesOf(counter, quarters));
    }
  return changes.filter(
    ({ interval, usage }) =>
      interval.endMs + CLOSED_WINDOW_FIRES_MS > nowMs && COUNTED.some((measure) => usage[measure] !== 0),
  );
}

/** By the start of a quarter hour (epoch ms). Every calendar window begins and ends with one. */
type Quarters = Map<number, Counts>;

function sumByScope(
  set: BudgetSet,
  signals: readonly CountedSignal[],
  sessions: readonly SessionChange[],
): Map<string, Quarters> {
  const sums = new Map<string, Quarters>();
  const add = ({ org_id, user_id, project_id }: Who, at: Date, measures: Partial<Counts>): void => {
    const quarterMs = floorToQuarter(at.getTime());
    const caller = { orgId: org_id, userId: user_id, projectId: project_id };
    for (const scope of scopesOf(set.teamsOf, caller)) {
      if (!set.byScope.has(scope)) continue;
      const quarters = sums.get(scope) ?? new Map<number, Counts>();
      sums.set(scope, quarters);
      const usage = quarters.get(quarterMs) ?? noUsage();
      quarters.set(quarterMs, usage);
      addTo(usage, measures);
    }
  };
  for (const signal of signals) add(signal, signal.ts, measuresOf(signal));
  for (const { before, after } of sessions) {
    if (before?.started_at.getTime() === after.started_at.getTime()) continue;
    if (before) add(before, before.started_at, { sessions: -1 });
    add(after, after.started_at, { sessions: 1 });
  }
  return sums;
}

function changesOf(counter: CounterKey, quarters: Quarters): WindowChange[] {
  const key = counterKey(counter);
  const changes = new Map<number, WindowChange>();
  for (const [quarterMs, usage] of quarters) {
    const interval = calendarWindowAt(counter.window, counter.timezone, quarterMs);
    const change = changes.get(interval.startMs) ?? { counter: key, interval, usage: noUsage() };
    changes.set(interval.startMs, change);
    addTo(change.usage, usage);
  }
  return [...changes.values()];
}

type Who = Pick<Session, 'org_id' | 'user_id' | 'project_id'>;

/** Nothing counted. */
export function noUsage(): Counts {
  return Object.fromEntries(COUNTED.map((measure) => [measure, 0])) as Counts;
}

/** Adds counts in place. */
export function addTo(usage: Counts, more: Partial<Counts>): void {
  for (const measure of COUNTED) usage[measure] += more[measure] ?? 0;
}
