import { z } from 'zod';
import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { budgetInput } from '../../shared/core/limits/budgets/rules/input.ts';
import { budgetPreview, previewBudget as preview } from '../../shared/core/limits/budgets/show/preview.ts';
import { askedView, readAsked } from '../../shared/core/limits/enforcement/check/asked.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';

export const previewBudget = route({
  method: 'post',
  changesNothing: true,
  path: '/api/v1/budgets/preview',
  summary: 'Preview a budget',
  description:
    'The usage that a budget would count and whether it would refuse calls, from its creation on, or with `budget_id` from its ' +
    'change on. Nothing is written. Needs `usage:read` too. Agents stop only where they ask before a call: `asked` shows by which ways that happens.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:write' },
  priority: 'read',
  query: z.strictObject({
    budget_id: text(256)
      .optional()
      .describe('A budget that would change to this body: its raises in force and its exceptions count'),
  }),
  body: budgetInput,
  success: {
    status: 200,
    description: 'The state that the budget would have',
    body: budgetPreview.extend({ asked: askedView }),
  },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, query, body }, ctx) => {
    const orgId = wholeOrganization(principal);
    if (!principal.scopes.includes('usage:read'))
      throw new DomainError('missing_scope', 'A preview shows usage. This key needs usage:read too.');
    return { ...(await preview(ctx, orgId, body, query.budget_id)), asked: await readAsked(ctx, orgId) };
  },
});
