import { z } from 'zod';
import { budgetUsageView, readBudgetUsage } from '../../shared/core/limits/budgets/show/read-usage.ts';
import { instantOrUtc } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';
import { budgetParams } from '../schemas/params.ts';

export const getBudgetUsage = route({
  method: 'get',
  path: '/api/v1/budgets/{id}/usage',
  summary: 'Read who used a budget, and when',
  description:
    'One window of the budget: the running total by time, and the users that used most. The last `total` and the sum of ' +
    '`users` are `current`. Signals that came more than 48 hours after the end of a window count here, and not in `windows`; ' +
    'a team is its present members.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  params: budgetParams,
  query: z.strictObject({
    window_start: instantOrUtc
      .optional()
      .describe('The start of a window that ended at most 35 days ago; the open one by default'),
  }),
  success: { status: 200, description: 'The window', body: budgetUsageView },
  errors: ['not_found'],
  handle: async ({ principal, params, query }, ctx) =>
    readBudgetUsage(ctx, principal, params.id, query.window_start),
});
