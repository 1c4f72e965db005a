import { CLOSED_WINDOW_FIRES_MS } from '../platform/basics/contract.ts';
import type { Session } from '../sessions/model.ts';
import { type CountedSignal, measuresOf } from '../usage/plan-rollups.ts';
import { tallyKey } from './keys.ts';
import { type Budget, TALLIED, type Tallied, type Tally } from './model.ts';
import { createPeriods, type Period } from './periods.ts';

/** What an organization's budgets count, and who is in which team. */
export interface BudgetSet {
  budgets: readonly Budget[];
  tallies: readonly Tally[];
  /** By `scope` and `scope_id`: see `scopeKey`. */
  byScope: ReadonlyMap<string, readonly Tally[]>;
  teamsOf: ReadonlyMap<string, readonly string[]>;
}

/** What a transaction adds to one window of one tally. */
export interface WindowChange {
  tally: string;
  period: Period;
  usage: Tallied;
}

export function makeBudgetSet(
  budgets: readonly Budget[],
  teamsOf: ReadonlyMap<string, readonly string[]>,
): BudgetSet {
  const tallies = new Map(budgets.map((budget) => [tallyKey(budget), budget]));
  const distinct: Tally[] = [...tallies.values()];
  return {
    budgets,
    tallies: distinct,
    byScope: Map.groupBy(distinct, ({ scope, scope_id }) => scopeKey(scope, scope_id)),
    teamsOf,
  };
}

/**
 * What new signals and new or moved sessions change in the windows of all matching budgets, each in the window that
 * holds its own time. A session counts at its start, as in the rollups. Pure.
 */
export function tallySignals(
  set: BudgetSet,
  signals: readonly CountedSignal[],
  sessions: readonly { before: Session | null; after: Session }[],
  nowMs: number,
): WindowChange[] {
  const changes = new Map<string, WindowChange>();
  const periods = createPeriods();
  const add = (who: Who, at: Date, measures: Partial<Tallied>): void => {
    for (const tally of matching(set, who)) {
      const period = periods(tally.window, tally.timezone, at.getTime());
      if (period.endMs + CLOSED_WINDOW_FIRES_MS <= nowMs) continue;
      addTo(changeOf(changes, tallyKey(tally), period).usage, measures);
    }
  };
  for (const signal of signals) add(signal, signal.ts, measuresOf(signal));
  for (const { before, after } of sessions) {
    if (before?.started_at.getTime() === after.started_at.getTime()) continue;
    if (before) add(before, before.started_at, { sessions: -1 });
    add(after, after.started_at, { sessions: 1 });
  }
  return [...changes.values()].filter(({ usage }) => TALLIED.some((measure) => usage[measure] !== 0));
}

type Who = Pick<Session, 'org_id' | 'user_id' | 'project_id'>;

function matching(set: BudgetSet, { org_id, user_id, project_id }: Who): Tally[] {
  const teams = set.teamsOf.get(user_id) ?? [];
  return [
    scopeKey('org', org_id),
    scopeKey('user', user_id),
    scopeKey('project', project_id),
    ...teams.map((team) => scopeKey('team', team)),
  ].flatMap((key) => set.byScope.get(key) ?? []);
}

function scopeKey(scope: Tally['scope'], scopeId: string): string {
  return `${scope} ${scopeId}`;
}

function changeOf(changes: Map<string, WindowChange>, tally: string, period: Period): WindowChange {
  const key = `${period.startMs} ${tally}`;
  const known = changes.get(key);
  if (known) return known;
  const change = { tally, period, usage: noUsage() };
  changes.set(key, change);
  return change;
}

export function noUsage(): Tallied {
  return Object.fromEntries(TALLIED.map((measure) => [measure, 0])) as Tallied;
}

/** Adds in place. */
export function addTo(usage: Tallied, more: Partial<Tallied>): void {
  for (const measure of TALLIED) usage[measure] += more[measure] ?? 0;
}
