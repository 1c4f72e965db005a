import { z } from 'zod';
import { listBudgets as list } from '../../shared/budgets/read-budgets.ts';
import { budgetView } from '../../shared/budgets/view.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';

export const listBudgets = route({
  method: 'get',
  path: '/api/v1/budgets',
  summary: 'List budgets and how they stand',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of budgets, newest first', body: pageOf(budgetView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) =>
    answerPage(
      ctx,
      ['budgets', principal.orgId, principal.userId],
      query,
      (page) => list(ctx, principal, page),
      (view) => view,
    ),
});
