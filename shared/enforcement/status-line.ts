import { type JudgedBudget, partLeft } from './judge.ts';
import { leftWords } from './words.ts';

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
