import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { changeBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { budgetChange } from '../../shared/core/limits/budgets/rules/input.ts';
import { route } from '../basics/route.ts';
import { changedBudget } from '../schemas/changed-budget.ts';
import { mayNameOwner } from '../schemas/name-owner.ts';
import { budgetParams } from '../schemas/params.ts';
import { writtenBudget } from '../schemas/usage-scope.ts';

export const updateBudget = route({
  method: 'patch',
  path: '/api/v1/budgets/{id}',
  summary: 'Change a budget',
  description:
    'Omitted fields keep their value. Another `scope` needs its `scope_id`, except `org`. Every change but that of ' +
    '`name`, `enforce`, `on_error` and `reservation_share_pct` lets the levels of the open window fire again.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:write' },
  priority: 'ingest',
  params: budgetParams,
  body: budgetChange,
  success: { status: 200, description: 'The changed budget', body: writtenBudget },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) => {
    mayNameOwner(principal, body);
    const budget = await changeBudget(ctx, wholeOrganization(principal), params.id, body);
    return changedBudget(ctx, principal, budget._id);
  },
});
