import type { Scope } from '../../../../platform/basics/contract.ts';
import type { Reader } from '../../../accounts/organizations/reader.ts';
import type { Budget } from './model.ts';

/** A credential that asks about budgets: a key, or a person of the dashboard. */
export interface Viewer extends Reader {
  scopes: readonly Scope[];
}

/**
 * Decides whether a credential sees the name and the amounts of a budget of its organization. One that is bound to a user, as
 * members are, sees the budgets that count this user alone, also its own of a template (`budgetOfPerson`), and those that this user owns; any other sees all with `usage:read`, else none. Pure.
 */
export function isVisible(
  { userId, scopes }: Viewer,
  budget: Pick<Budget, 'scope' | 'scope_id' | 'owner'>,
): boolean {
  if (userId === null) return scopes.includes('usage:read');
  const { scope, scope_id } = budget;
  if (isOwnedBy(budget, userId)) return true;
  return scope === 'user' && scope_id === userId;
}

export function isOwnedBy({ owner }: Pick<Budget, 'owner'>, userId: string): boolean {
  return Boolean(owner && 'user_id' in owner && owner.user_id === userId);
}
