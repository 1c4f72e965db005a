import type { BudgetChange } from '../../shared/core/limits/budgets/rules/input.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';

/** Lets a key name a person as the owner of a budget, who then sees it, only if it reads usage itself. Throws `missing_scope`. */
export function mayNameOwner({ scopes }: ApiKeyPrincipal, { owner }: Pick<BudgetChange, 'owner'>): void {
  if (!owner || !('user_id' in owner) || scopes.includes('usage:read')) return;
  throw new DomainError(
    'missing_scope',
    'An owner sees the amounts of the budget. To name a person this key needs usage:read too.',
  );
}
