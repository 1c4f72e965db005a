import { shown, thresholdOf } from '../../budgets/rules/view.ts';
import { isVisible, type Viewer } from '../../budgets/rules/visible.ts';
import { shownEnd } from '../../budgets/rules/windows.ts';
import type { OpenBudget } from '../state/budget-status.ts';
import { type JudgedBudget, partLeft, type RefusingBudget, remainingOf } from './judge.ts';

/** Why a budget refuses a call, in words for its caller: without name and amount where the caller does not see the budget. */
export function reasonOf(refusing: RefusingBudget, viewer: Viewer): string {
  const { budget, cause, interval } = refusing;
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
  const end = shownEnd(interval);
  return end === null ? `${who} ${why}.` : `${who} ${why} until ${timeWords(end)}.`;
}

const MINUTE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** An ISO time as people read it: "1 Dec, 00:00 UTC". */
export function timeWords(instant: string): string {
  return `${MINUTE.format(Temporal.Instant.from(instant).epochMilliseconds)} UTC`;
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

/** Characters of a line, its end included, stay below 200. */
const LINE_LENGTH = 198;

/** One line about the budget that has the smallest part of its threshold left: what is left and how much is used. Pure. */
export function statusLine(budgets: readonly JudgedBudget[]): string {
  const tightest = budgets.toSorted((a, b) => partLeft(a) - partLeft(b))[0];
  if (!tightest) return 'No budget';
  const { budget, current } = tightest;
  const used = Math.round((current / budget.limit) * 100);
  const line = `${leftWords(tightest)}, ${used} % used: ${oneLine(budget.name)}`;
  return Array.from(line).slice(0, LINE_LENGTH).join('');
}

/** A name may hold line breaks and control sequences of a terminal. */
function oneLine(name: string): string {
  return name.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
}
