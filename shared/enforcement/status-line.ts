import { leftWords, remainingOf, type Verdict } from './judge.ts';
import type { OpenBudget } from './standing.ts';

/** Characters of a line, its end included, stay below 200. */
const LINE_LENGTH = 198;

/** One line about the budget that has least left of its threshold: what is left and how much is used. Pure. */
export function statusLine({ budgets }: Pick<Verdict, 'budgets'>): string {
  const tightest = budgets.toSorted((a, b) => shareLeft(a) - shareLeft(b))[0];
  if (!tightest) return 'No budget';
  const { budget, current } = tightest;
  const used = Math.round((current / budget.limit) * 100);
  const line = `${leftWords(tightest)}, ${used} % used: ${oneLine(budget.name)}`;
  return Array.from(line).slice(0, LINE_LENGTH).join('');
}

function shareLeft(open: OpenBudget): number {
  return remainingOf(open) / open.budget.limit;
}

/** A name may hold line breaks and control sequences of a terminal. */
function oneLine(name: string): string {
  return name.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
}
