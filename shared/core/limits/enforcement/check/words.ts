import { sayMoment } from '../../../../platform/basics/say-moment.ts';
import { dollars } from '../../../pricing/money.ts';
import { shown, thresholdOf } from '../../budgets/rules/view.ts';
import { isVisible, type Viewer } from '../../budgets/rules/visible.ts';
import { shownEnd } from '../../budgets/rules/windows.ts';
import type { OpenBudget } from '../state/budget-status.ts';
import { partLeft, type RefusingBudget, remainingOf, type Verdict } from './judge.ts';

/** Why a budget refuses a call, in words for its caller: without name and amount where the caller does not see the budget. */
export function reasonOf(refusing: RefusingBudget, viewer: Viewer): string {
  const { budget, cause } = refusing;
  const isSeen = isVisible(viewer, budget);
  if (cause === 'unpriced') {
    const budgetWords = isSeen ? `budget "${budget.name}"` : 'a budget of your organization';
    const model = oneLine(refusing.model ?? '');
    return `The model "${model}" has no price, and ${budgetWords} refuses such calls. An admin can give it one (Settings, Prices).`;
  }
  const who = isSeen ? `Budget "${budget.name}"` : 'A budget of your organization';
  if (cause === 'share') {
    const whole = isSeen ? `budget "${budget.name}"` : 'a budget of your organization';
    return `This call and your open reservations are more than your share of ${whole}. Settle or release some.`;
  }
  if (cause === 'unreadable') return `${who} cannot be read now, and denies calls until it can.`;
  const why = isSeen ? `has ${leftWords(refusing)}` : 'refuses this call';
  return `${who} ${why}${untilWords(refusing)}.`;
}

/** Until when a budget refuses, where only the end of its window helps: a reservation may end before that. */
function untilWords({ budget, cause, interval }: RefusingBudget): string {
  const end = cause === 'spent' ? shownEnd(interval) : null;
  return end === null ? '' : ` until ${sayMoment(end, budget.timezone)}`;
}

/** As exact as the API: up to four decimals. */
const DOLLARS = dollars(4);

/** The amount that is left of the threshold, in words: $6.00 of $8.00 left, 120 of 5000 tokens in left. */
export function leftWords(open: OpenBudget): string {
  const { metric } = open.budget;
  const left = shown(metric, remainingOf(open));
  const whole = thresholdOf(open.budget);
  if (metric === 'cost_usd') return `${DOLLARS.format(left)} of ${DOLLARS.format(whole)} left`;
  return `${left} of ${whole} ${metric.replaceAll('_', ' ')} left`;
}

/** Characters of a line, its end included, stay below 200. */
const LINE_LENGTH = 198;

/**
 * One line for a caller: about the budget that refuses every call, if one does, else about the one that the caller sees and that has
 * the smallest part of its threshold left. Without name and amount where the caller does not see the budget. Pure.
 */
export function statusLine({ budgets, refusedBy }: Verdict, viewer: Viewer): string {
  const refuses = refusedBy && `refuses your calls${untilWords(refusedBy)}`;
  const isSeen = (judged: OpenBudget) => isVisible(viewer, judged.budget);
  if (refusedBy && !isSeen(refusedBy)) return `A budget of your organization ${refuses}`;
  const shown = refusedBy ?? budgets.filter(isSeen).toSorted((a, b) => partLeft(a) - partLeft(b))[0];
  if (!shown) return 'No budget';
  const { budget, current } = shown;
  const used = `${Math.round((current / budget.limit) * 100)} % used`;
  const line = `${[leftWords(shown), used, refuses].filter(Boolean).join(', ')}: ${oneLine(budget.name)}`;
  return Array.from(line).slice(0, LINE_LENGTH).join('');
}

/** A name may hold line breaks and control sequences of a terminal. */
function oneLine(name: string): string {
  return name.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
}
