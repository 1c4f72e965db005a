import { shown, thresholdOf } from '../budgets/view.ts';
import { isVisible, type Viewer } from '../budgets/visible.ts';
import { isoTime } from '../platform/basics/clock.ts';
import { type RefusingBudget, remainingOf } from './judge.ts';
import type { OpenBudget } from './standing.ts';

/** Why a budget refuses a call, in words for its caller: without name and amount where the caller does not see the budget. */
export function reasonOf(refusing: RefusingBudget, viewer: Viewer): string {
  const { budget, cause, interval } = refusing;
  const isSeen = isVisible(viewer, budget);
  const who = isSeen ? `Budget "${budget.name}"` : 'A budget of your organization';
  if (cause === 'share') {
    const whole = isSeen ? `budget "${budget.name}"` : 'a budget of your organization';
    return `This call and your open reservations are more than your share of ${whole}. Settle or release some.`;
  }
  if (cause === 'unreadable') return `${who} cannot be read now, and denies calls until it can.`;
  const why = isSeen ? `has ${leftWords(refusing)}` : 'refuses this call';
  return `${who} ${why} until ${isoTime(interval.endMs)}.`;
}

/** As exact as the API: up to four decimals. */
const DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});

/** The amount that is left of the threshold, in words: $6.00 of $8.00 left, 120 of 5000 tokens in left. */
export function leftWords(open: OpenBudget): string {
  const { metric } = open.budget;
  const left = shown(metric, remainingOf(open));
  const whole = thresholdOf(open.budget);
  if (metric === 'cost_usd') return `${DOLLARS.format(left)} of ${DOLLARS.format(whole)} left`;
  return `${left} of ${whole} ${metric.replaceAll('_', ' ')} left`;
}
