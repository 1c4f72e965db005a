import { readVisibleBudget } from '../../shared/budgets/read-budgets.ts';
import { budgetView } from '../../shared/budgets/view.ts';
import { route } from '../basics/route.ts';
import { budgetParams } from '../schemas/params.ts';

export const getBudget = route({
  method: 'get',
  path: '/api/v1/budgets/{id}',
  summary: 'Read a budget and how it stands',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  params: budgetParams,
  success: { status: 200, description: 'The budget', body: budgetView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => readVisibleBudget(ctx, principal, params.id),
});
