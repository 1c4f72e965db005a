import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { removeBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { route } from '../basics/route.ts';
import { budgetParams } from '../schemas/params.ts';

export const deleteBudget = route({
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
    await removeBudget(ctx, wholeOrganization(principal), params.id);
    await statusCache(ctx).renew(principal.orgId);
    return undefined;
  },
});
