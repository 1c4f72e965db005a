import { dateAt } from '../platform/basics/clock.ts';
import type { LevelReached } from './evaluate.ts';
import { firingKey } from './keys.ts';
import type { BudgetFiring } from './model.ts';

/** The row of a level that a window has reached; with an event of null it was passed over. Pure. */
export function firingOf(
  { budget, interval, level }: Pick<LevelReached, 'budget' | 'interval' | 'level'>,
  at: Date,
  eventId: string | null,
): BudgetFiring {
  return {
    _id: firingKey(budget, interval.startMs, level),
    org_id: budget.org_id,
    budget_id: budget._id,
    revision: budget.revision,
    level,
    window_start: dateAt(interval.startMs),
    window_end: dateAt(interval.endMs),
    event_id: eventId,
    fired_at: at,
  };
}
