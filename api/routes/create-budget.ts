import { createBudget } from '../../shared/budgets/change-budgets.ts';
import { budgetInput } from '../../shared/budgets/input.ts';
import { readBudget } from '../../shared/budgets/read-budgets.ts';
import { budgetView } from '../../shared/budgets/view.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { type ApiKeyPrincipal, route } from '../route.ts';

export const createBudgetRoute = route({
  method: 'post',
  path: '/api/v1/budgets',
  summary: 'Create a budget',
  description:
    'Usage of the open window that was recorded before counts. `budget.warning` is raised at 80 % of the threshold, ' +
    '`budget.exceeded` at all of it, each once a window.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:write' },
  priority: 'ingest',
  body: budgetInput,
  success: { status: 201, description: 'The budget', body: budgetView },
  errors: ['conflict'],
  handle: async ({ principal, body }, ctx) => {
    refuseBoundKey(principal);
    const budget = await createBudget(ctx, principal.orgId, body);
    return readBudget(ctx, principal, budget._id);
  },
});

/** A key that is bound to a user reads that user's budgets; what binds others is not for it to set. */
export function refuseBoundKey({ userId }: ApiKeyPrincipal): void {
  if (userId === null) return;
  throw new DomainError('missing_scope', 'A key that is bound to a user may not change budgets.');
}
