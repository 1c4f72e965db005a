import { z } from 'zod';
import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { setPerson } from '../../shared/core/limits/budgets/change/change-people.ts';
import { readPerson } from '../../shared/core/limits/enforcement/reserve/show-people.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { route } from '../basics/route.ts';
import { budgetPersonParams } from '../schemas/params.ts';
import { writtenPerson, writtenPersonFor } from '../schemas/usage-scope.ts';

export const setBudgetPerson = route({
  method: 'put',
  path: '/api/v1/budgets/{id}/people/{user_id}',
  summary: 'Set the exception of one person from a template',
  description:
    'Another threshold, or none: then the budget does not count for this person. It decides from the answer on. The person need ' +
    'not have used anything yet. A budget may have 5,000 exceptions.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:write' },
  priority: 'ingest',
  params: budgetPersonParams,
  body: z.union([
    z.strictObject({
      threshold: z.number().positive().describe('Like the threshold of the budget, for this person'),
    }),
    z.strictObject({ exempt: z.literal(true).describe('The budget does not count for this person') }),
  ]),
  success: { status: 200, description: 'The person', body: writtenPerson },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) => {
    const orgId = wholeOrganization(principal);
    await setPerson(ctx, orgId, { budgetId: params.id, userId: params.user_id }, body);
    await statusCache(ctx).renew(orgId);
    return writtenPersonFor(principal, await readPerson(ctx, orgId, params.id, params.user_id));
  },
});
