import { removeBudget } from '../../shared/budgets/change-budgets.ts';
import { route } from '../route.ts';
import { refuseBoundKey } from './create-budget.ts';
import { budgetParams } from './get-budget.ts';

export const removeBudgetRoute = route({
  method: 'delete',
  path: '/api/v1/budgets/{id}',
  summary: 'Delete a budget',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:write' },
  priority: 'ingest',
  params: budgetParams,
  success: { status: 204, description: 'It is gone' },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    refuseBoundKey(principal);
    await removeBudget(ctx, principal.orgId, params.id);
    return undefined;
  },
});
