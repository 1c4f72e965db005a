import { calendarWindowAt } from '../budgets/calendar-windows.ts';
import { amountOf, type WindowUsage } from '../budgets/evaluate.ts';
import { counterKey, scopeKey, scopesOf } from '../budgets/keys.ts';
import type { Budget } from '../budgets/model.ts';
import type { Interval } from '../platform/basics/interval.ts';

/** The budgets of an organization in the order in which they were made, and who is in which team, as of a version. */
export interface Definitions {
  version: number;
  budgets: readonly DefinedBudget[];
  byScope: ReadonlyMap<string, readonly DefinedBudget[]>;
  teamsOf: ReadonlyMap<string, readonly string[]>;
  /** Whether any budget is one in which amounts are reserved: `hard`, of `cost_usd`. */
  mayReserve: boolean;
}

/** A budget with its place in the order and the identity of its counter. */
export interface DefinedBudget {
  budget: Budget;
  place: number;
  counter: string;
}

/** What open reservations hold beside the amounts of a standing. */
export interface Reserved {
  /** Of the Redis data that holds them. */
  identity: string;
  /** Redis' clock before the amounts were read. */
  redisMs: number;
  /** How many reservations there had been. */
  seq: number;
  /** Nano-USD by `reservedKey(...)`. */
  sums: ReadonlyMap<string, number>;
  /** When they were read, by this process' monotonic clock. */
  readMs: number;
}

/** How an organization's budgets stand at one moment, as an api process remembers it. */
export interface Standing {
  orgId: string;
  definitions: Definitions;
  /** How often usage had been counted by then: the same number, the same amounts. */
  touches: number;
  /** By counter: its windows that are open now or open later. */
  usage: ReadonlyMap<string, readonly WindowUsage[]>;
  /** Null when no budget is reserved in, or Redis was never read. */
  reserved: Reserved | null;
}

/** Whom a call is for. */
export interface Caller {
  orgId: string;
  userId: string | null;
  projectId: string;
}

/** A budget that a call counts in, in the window that is open. Amounts are in the unit of the budget's limit. */
export interface OpenBudget {
  budget: Budget;
  interval: Interval;
  current: number;
  /** Held by open reservations. */
  reserved: number;
}

/** Arranges budgets by whose calls they concern. Pure. */
export function defineBudgets(
  version: number,
  budgets: readonly Budget[],
  teamsOf: ReadonlyMap<string, readonly string[]>,
): Definitions {
  const ordered = budgets.toSorted(
    (a, b) => a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1),
  );
  const defined = ordered.map((budget, place) => ({ budget, place, counter: counterKey(budget) }));
  const byScope = Map.groupBy(defined, ({ budget }) => scopeKey(budget));
  return { version, budgets: defined, byScope, teamsOf, mayReserve: budgets.some(isReservedIn) };
}

/** Whether calls reserve amounts in a budget. */
export function isReservedIn({ enforce, metric }: Pick<Budget, 'enforce' | 'metric'>): boolean {
  return enforce === 'hard' && metric === 'cost_usd';
}

/** What reservations in a budget are summed by: a reservation belongs to the window in which it was made. */
export function reservedKey(budgetId: string, windowStartMs: number): string {
  return `${budgetId}:${windowStartMs}`;
}

/** The budgets that a caller's calls count in, in the order in which they were made. A team is its members now. */
export function openBudgetsOf(standing: Standing, caller: Caller, nowMs: number): OpenBudget[] {
  const { byScope, teamsOf } = standing.definitions;
  const matching = scopesOf(teamsOf, caller).flatMap((scope) => byScope.get(scope) ?? []);
  return matching
    .sort((a, b) => a.place - b.place)
    .map(({ budget, counter }) => {
      const interval = calendarWindowAt(budget.window, budget.timezone, nowMs);
      const windows = standing.usage.get(counter) ?? [];
      const counted = windows.find((window) => window.interval.startMs === interval.startMs);
      const current = counted ? amountOf(budget.metric, counted.usage) : 0;
      const reserved = standing.reserved?.sums.get(reservedKey(budget._id, interval.startMs)) ?? 0;
      return { budget, interval, current, reserved };
    });
}
