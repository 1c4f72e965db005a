import { derivedId } from '../platform/basics/ids.ts';
import type { Budget, BudgetLevel, Tally } from './model.ts';

/** How many rows one window may be spread over (`gate.ts`). Raising it needs no migration; lowering it does. */
export const SLOTS = 8;
export const ALL_SLOTS: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);

export function tallyKey({ scope, scope_id, window, timezone }: Tally): string {
  return JSON.stringify([scope, scope_id, window, timezone]);
}

export function windowKey(orgId: string, tally: string, startMs: number, slot: number): string {
  return derivedId('bwn', orgId, tally, startMs, slot);
}

export function gateKey(orgId: string, slot: number): string {
  return `${orgId}/${slot}`;
}

export function takenKey(orgId: string): string {
  return `${orgId}/taken`;
}

/** Once per (budget, window, level, revision): design 4. */
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
