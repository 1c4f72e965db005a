import { refusesUnpriced } from '../../budgets/rules/model.ts';
import { isReservedIn, type OpenBudget } from '../state/budget-status.ts';

/**
 * Why a hard budget refuses a call: usage has reached its threshold (or the estimate passes it), it would fit but for open
 * reservations, the caller's share of it is full, its amounts cannot be read, or the model has no price.
 */
export const CAUSES = ['spent', 'held', 'share', 'unreadable', 'unpriced'] as const;
export type Cause = (typeof CAUSES)[number];

export interface JudgedBudget extends OpenBudget {
  /** Null when it does not refuse. */
  cause: Cause | null;
  /** The model that has no price; only of the cause `unpriced`. */
  model?: string;
}

export interface RefusingBudget extends JudgedBudget {
  cause: Cause;
}

/** The decision about a call. */
export interface Verdict {
  /** Every budget that the call counts in, in the order in which they were made. */
  budgets: readonly JudgedBudget[];
  /** Null when the call may be made. */
  refusedBy: RefusingBudget | null;
}

/** How fresh the amounts of a call's budgets are, and the model of the call if it has no price (`unpricedIn`). */
interface Known {
  isUsageFresh: boolean;
  areReservationsFresh: boolean;
  unpricedModel: string | null;
}

/**
 * Judges a call by the budgets that it counts in. An estimate counts for budgets of cost; others compare what was used.
 * Without fresh amounts a hard budget's `on_error` decides. Pure.
 */
export function judge(budgets: readonly OpenBudget[], estimateNusd: number | null, known: Known): Verdict {
  return verdictOf(budgets.map((open) => judgeOne(open, estimateNusd, known)));
}

export function judgeOne(open: OpenBudget, estimateNusd: number | null, known: Known): JudgedBudget {
  const cause = causeOf(open, estimateNusd, known);
  return cause === 'unpriced' && known.unpricedModel !== null
    ? { ...open, cause, model: known.unpricedModel }
    : { ...open, cause };
}

/** Null when a budget does not refuse a call: one that costs nothing passes every budget of cost, unless nobody knows that. */
function causeOf(open: OpenBudget, estimateNusd: number | null, known: Known): Cause | null {
  const { budget, current, reserved } = open;
  if (budget.enforce !== 'hard') return null;
  if (known.unpricedModel !== null && refusesUnpriced(budget)) return 'unpriced';
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
    .sort((a, b) => endMsOf(b) - endMsOf(a) || partLeft(a) - partLeft(b));
  return { budgets, refusedBy };
}

/** When a refusal ends, epoch ms: a price comes with no window, so one for the lack of it ends after all others. */
function endMsOf({ cause, interval }: RefusingBudget): number {
  return cause === 'unpriced' ? Number.MAX_SAFE_INTEGER : interval.endMs;
}

export function remainingOf({ budget, current, reserved }: OpenBudget): number {
  return Math.max(0, budget.limit - current - reserved);
}

export function partLeft(open: OpenBudget): number {
  return remainingOf(open) / open.budget.limit;
}
