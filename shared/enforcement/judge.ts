import { shown, thresholdOf } from '../budgets/view.ts';
import { isoTime } from '../platform/basics/clock.ts';
import type { OpenBudget } from './standing.ts';

/** Whether a call may be made, and which budget refuses first. */
export interface Verdict {
  allow: boolean;
  /** Null when it may be made. */
  reason: string | null;
  budgets: readonly OpenBudget[];
}

/**
 * Whether a call fits into the budgets that it counts in, in their order. An estimate counts for budgets of cost; others
 * compare what was used. Without fresh amounts each hard budget's `on_error` decides. Pure.
 */
export function judge(
  budgets: readonly OpenBudget[],
  { estimateNusd, isFresh }: { estimateNusd: number | null; isFresh: boolean },
): Verdict {
  const hard = budgets.filter(({ budget }) => budget.enforce === 'hard');
  const refusing = hard.find((open) =>
    isFresh ? isBeyond(open, estimateNusd) : open.budget.on_error === 'deny',
  );
  const reason = refusing ? (isFresh ? refusalOf(refusing) : blindRefusalOf(refusing)) : null;
  return { allow: refusing === undefined, reason, budgets };
}

/** Whether a call is more than a budget has left: its estimate in a budget of cost, else anything at all. */
export function isBeyond({ budget, current, reserved }: OpenBudget, estimateNusd: number | null): boolean {
  if (budget.metric !== 'cost_usd' || estimateNusd === null) return current >= budget.limit;
  return current + reserved + estimateNusd > budget.limit;
}

/** What is left up to the threshold, in the unit of the budget's limit. */
export function remainingOf({ budget, current, reserved }: OpenBudget): number {
  return Math.max(0, budget.limit - current - reserved);
}

/** Why a budget refuses, in words for whoever made the call. */
export function refusalOf(open: OpenBudget): string {
  const { budget, interval } = open;
  return `Budget "${budget.name}" has ${leftWords(open)} until ${isoTime(interval.endMs)}.`;
}

/** As exact as the API: up to four decimals. */
const DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});

/** What is left of the threshold, in words: $6.00 of $8.00 left, 120 of 5000 tokens in left. */
export function leftWords(open: OpenBudget): string {
  const { metric } = open.budget;
  const left = shown(metric, remainingOf(open));
  const whole = thresholdOf(open.budget);
  if (metric === 'cost_usd') return `${DOLLARS.format(left)} of ${DOLLARS.format(whole)} left`;
  return `${left} of ${whole} ${metric.replaceAll('_', ' ')} left`;
}

function blindRefusalOf({ budget }: OpenBudget): string {
  return `Budget "${budget.name}" cannot be read now, and denies calls until it can.`;
}
