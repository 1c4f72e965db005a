import { dateAt } from '../platform/basics/clock.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import { amountOf, levelsReached, mayFire, type WindowUsage } from './evaluate.ts';
import { firingOf } from './firing-of.ts';
import { type Budget, type BudgetLevel, budgetFiringRows } from './model.ts';

/**
 * The writes that make history of what a budget's windows were just counted to hold: a level that a closed window reaches by
 * this count, and had not reached `before` (by its start, epoch ms), raises no event. Pure.
 */
export function planHistory(
  budget: Budget,
  windows: readonly WindowUsage[],
  before: ReadonlyMap<number, WindowUsage>,
  nowMs: number,
): Write[] {
  const reached = (window: WindowUsage | undefined) =>
    window ? levelsReached(amountOf(budget.metric, window.usage), budget.limit) : [];
  return windows
    .filter(({ interval }) => interval.endMs <= nowMs && mayFire(interval, nowMs))
    .flatMap((window) => {
      const known = reached(before.get(window.interval.startMs));
      const fresh = reached(window).filter((level) => !known.includes(level));
      return fresh.map((level) => passOver(budget, window, level, nowMs));
    });
}

/** A level that has fired stays as it is. */
function passOver(budget: Budget, { interval }: WindowUsage, level: BudgetLevel, nowMs: number): Write {
  const { _id, ...firing } = firingOf({ budget, interval, level }, dateAt(nowMs), null);
  return updateRow(budgetFiringRows, { _id }, { $setOnInsert: firing }, { upsert: true });
}
