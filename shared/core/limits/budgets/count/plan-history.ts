import { dateAt } from '../../../../platform/basics/clock.ts';
import { updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import { amountOf, type LevelReached, levelsReached, mayFire, type WindowUsage } from '../rules/evaluate.ts';
import { type BudgetFiring, budgetFiringRows } from '../rules/fired.ts';
import { inForceIn } from '../rules/in-force.ts';
import { firingKey } from '../rules/keys.ts';
import type { Budget, BudgetLevel } from '../rules/model.ts';
import { budgetOfPerson, type WithExceptions } from '../rules/people.ts';
import { windowsOf } from './rolling.ts';

type Counted = WindowUsage & { person: string | null };

/** As `planHistory`, given all windows that the budget's counter had before; of a template for each person. Pure. */
export function planCountedHistory(
  ruled: WithExceptions,
  windows: readonly Counted[],
  before: readonly Counted[],
  nowMs: number,
): Write[] {
  if (!ruled.budget.per) return planHistory(ruled.budget, windows, before, nowMs);
  const known = Map.groupBy(before, ({ person }) => person);
  return [...Map.groupBy(windows, ({ person }) => person)].flatMap(([person, own]) => {
    const budget = person === null ? null : budgetOfPerson(ruled, person);
    return budget ? planHistory(budget, own, known.get(person) ?? [], nowMs) : [];
  });
}

/**
 * The writes after a recount of a budget's counter, by which history raises no events: each level that a closed window of the
 * budget reaches by the counter's windows now, and had not reached by those `before`, counts as fired. Pure.
 */
function planHistory(
  budget: Budget,
  counted: readonly WindowUsage[],
  countedBefore: readonly WindowUsage[],
  nowMs: number,
): Write[] {
  const windows = windowsOf(budget, counted, nowMs);
  const before = new Map(
    windowsOf(budget, countedBefore, nowMs).map((window) => [window.interval.startMs, window]),
  );
  const reached = (window: WindowUsage | undefined, limit: number) =>
    window ? levelsReached(amountOf(budget.metric, window.usage), limit) : [];
  return windows
    .filter(({ interval }) => interval.endMs <= nowMs && mayFire(interval, nowMs))
    .flatMap((window) => {
      const limited = inForceIn(budget, window.interval, nowMs);
      const known = reached(before.get(window.interval.startMs), limited.limit);
      const fresh = reached(window, limited.limit).filter((level) => !known.includes(level));
      return fresh.map((level) => skip(limited, window, level, nowMs));
    });
}

function skip(budget: Budget, { interval }: WindowUsage, level: BudgetLevel, nowMs: number): Write {
  const { _id, ...firing } = firingOf({ budget, interval, level }, 0, dateAt(nowMs), null);
  return updateRow(budgetFiringRows, { _id }, { $setOnInsert: firing }, { upsert: true });
}

/** The row of a level that a window has reached after so many reversals; without an event it was skipped. Pure. */
export function firingOf(
  { budget, interval, level }: Pick<LevelReached, 'budget' | 'interval' | 'level'>,
  reversals: number,
  at: Date,
  eventId: string | null,
): BudgetFiring {
  return {
    _id: firingKey(budget, interval.startMs, level, reversals),
    org_id: budget.org_id,
    budget_id: budget._id,
    ...(budget.per ? { user_id: budget.scope_id } : {}),
    ...(budget.raised === undefined ? {} : { raised: budget.raised }),
    revision: budget.revision,
    level,
    window_start: dateAt(interval.startMs),
    window_end: dateAt(interval.endMs),
    event_id: eventId,
    fired_at: at,
  };
}
