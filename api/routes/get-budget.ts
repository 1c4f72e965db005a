import { readVisibleBudget } from '../../shared/core/limits/budgets/show/read-budgets.ts';
import { showUnpriced } from '../../shared/core/limits/budgets/show/read-unpriced.ts';
import { showReserved } from '../../shared/core/limits/enforcement/reserve/show-reserved.ts';
import { route } from '../basics/route.ts';
import { budgetParams } from '../schemas/params.ts';
import { type ShownBudgetView, shownBudgetView } from '../schemas/usage-scope.ts';

export const getBudget = route({
  method: 'get',
  path: '/api/v1/budgets/{id}',
  summary: 'Read a budget and its state',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: budgetParams,
  success: { status: 200, description: 'The budget', body: shownBudgetView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    const budget = await readVisibleBudget(ctx, principal, params.id);
    const [shown] = await showUnpriced(ctx, principal.orgId, [
      await showReserved(ctx, principal.orgId, budget),
    ]);
    return shown as ShownBudgetView;
  },
});
