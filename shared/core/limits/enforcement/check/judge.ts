import { isReservedIn, type OpenBudget } from '../state/budget-status.ts';

/**
 * Why a hard budget refuses a call: usage has reached its threshold (or the estimate passes it), it would fit but for open
 * reservations, the caller's share of it is full, or its amounts cannot be read.
 */
export const CAUSES = ['spent', 'held', 'share', 'unreadable'] as const;
export type Cause = (typeof CAUSES)[number];

export interface JudgedBudget extends OpenBudget {
  /** Null when it does not refuse. */
  cause: Cause | null;
}

/** A budget that refuses a call. */
export interface RefusingBudget extends OpenBudget {
  cause: Cause;
}

/** The decision about a call. */
export interface Verdict {
  /** Every budget that the call counts in, in the order in which they were made. */
  budgets: readonly JudgedBudget[];
  /** Null when the call may be made. */
  refusedBy: RefusingBudget | null;
}

/** How fresh the amounts of a call's budgets are. */
interface Known {
  isUsageFresh: boolean;
  areReservationsFresh: boolean;
}

/**
 * Judges a call by the budgets that it counts in. An estimate counts for budgets of cost; others compare what was used.
 * Without fresh amounts a hard budget's `on_error` decides. Pure.
 */
export function judge(budgets: readonly OpenBudget[], estimateNusd: number | null, known: Known): Verdict {
  return verdictOf(budgets.map((open) => ({ ...open, cause: causeOf(open, estimateNusd, known) })));
}

/** Why a budget refuses a call, or null when it does not: a call that costs nothing passes every budget of cost. Pure. */
export function causeOf(open: OpenBudget, estimateNusd: number | null, known: Known): Cause | null {
  const { budget, current, reserved } = open;
  if (budget.enforce !== 'hard') return null;
  if (budget.metric === 'cost_usd' && estimateNusd === 0) return null;
  const blind = budget.on_error === 'deny' ? 'unreadable' : null;
  if (!known.isUsageFresh) return blind;
  const estimate = budget.metric === 'cost_usd' ? estimateNusd : null;
  if (estimate === null ? current >= budget.limit : current + estimate > budget.limit) return 'spent';
  if (!isReservedIn(budget)) return null;
  if (!known.areReservationsFresh) return blind;
  return estimate !== null && current + reserved + estimate > budget.limit ? 'held' : null;
}

/**
 * The verdict of judged budgets: every hard one must allow. If several refuse, it names the one whose window ends last, then
 * the one with the smallest part of its threshold left, then the oldest. Pure.
 */
export function verdictOf(budgets: readonly JudgedBudget[]): Verdict {
  const [refusedBy = null] = budgets
    .filter((judged): judged is RefusingBudget => judged.cause !== null)
    .sort((a, b) => b.interval.endMs - a.interval.endMs || partLeft(a) - partLeft(b));
  return { budgets, refusedBy };
}

/** The rest up to the threshold, in the unit of the budget's limit. */
export function remainingOf({ budget, current, reserved }: OpenBudget): number {
  return Math.max(0, budget.limit - current - reserved);
}

/** The part of the threshold that is left, from 0 to 1. */
export function partLeft(open: OpenBudget): number {
  return remainingOf(open) / open.budget.limit;
}
