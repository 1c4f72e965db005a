import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { removePerson } from '../../shared/core/limits/budgets/change/change-people.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { route } from '../basics/route.ts';
import { budgetPersonParams } from '../schemas/params.ts';

export const removeBudgetPerson = route({
  method: 'delete',
  path: '/api/v1/budgets/{id}/people/{user_id}',
  summary: 'End the exception of one person from a template',
  description:
    'From the answer on the template counts for the person as for everybody. There need not be an exception.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:write' },
  priority: 'ingest',
  params: budgetPersonParams,
  success: { status: 204, description: 'There is none' },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params }, ctx) => {
    const orgId = wholeOrganization(principal);
    await removePerson(ctx, orgId, { budgetId: params.id, userId: params.user_id });
    await statusCache(ctx).renew(orgId);
    return undefined;
  },
});
