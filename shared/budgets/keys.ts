import { derivedId } from '../platform/basics/ids.ts';
import type { Budget, BudgetLevel, CounterKey } from './model.ts';

/** The identity of a counter within its organization. */
export function counterKey({ scope, scope_id, window, timezone }: CounterKey): string {
  return JSON.stringify([scope, scope_id, window, timezone]);
}

/** The primary key of a counter's row in one window and one counter shard. */
export function windowKey(orgId: string, counter: string, startMs: number, shard: number): string {
  return derivedId('bwn', orgId, counter, startMs, shard);
}

/** The primary key of a firing: one per budget, window, level and revision. */
export function firingKey(
  budget: Pick<Budget, '_id' | 'revision'>,
  startMs: number,
  level: BudgetLevel,
): string {
  return derivedId('bfi', ...firingCause(budget, startMs, level));
}

/** What makes a level's event this event and no other. */
export function firingCause(
  budget: Pick<Budget, '_id' | 'revision'>,
  startMs: number,
  level: BudgetLevel,
): readonly (string | number)[] {
  return [budget._id, startMs, level, budget.revision];
}
