import { z } from 'zod';
import { budgetWindowView, readBudgetWindows } from '../../shared/budgets/read-history.ts';
import { PAGE_SIZE } from '../../shared/platform/basics/contract.ts';
import { route } from '../basics/route.ts';
import { pageQuery } from '../schemas/page.ts';
import { budgetParams } from '../schemas/params.ts';

const DEFAULT_WINDOWS = 12;

export const listBudgetWindows = route({
  method: 'get',
  path: '/api/v1/budgets/{id}/windows',
  summary: 'Read the windows of a budget',
  description: 'Newest first, the open one among them. A window is deleted 40 days after its end.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: budgetParams,
  query: z.strictObject({
    limit: pageQuery.limit
      .unwrap()
      .default(DEFAULT_WINDOWS)
      .meta({
        description: 'How many',
        documentedAs: { type: 'integer', minimum: 1, maximum: PAGE_SIZE.max, default: DEFAULT_WINDOWS },
      }),
  }),
  success: {
    status: 200,
    description: 'The windows',
    body: z.strictObject({ data: z.array(budgetWindowView) }),
  },
  errors: ['not_found'],
  handle: async ({ principal, params, query }, ctx) => ({
    data: await readBudgetWindows(ctx, principal, params.id, query.limit),
  }),
});
