import { z } from 'zod';
import {
  budgetEventView,
  listBudgetEvents as list,
  viewBudgetEvent,
} from '../../shared/core/limits/budgets/show/read-history.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';
import { budgetParams } from '../schemas/params.ts';

export const listBudgetEvents = route({
  method: 'get',
  path: '/api/v1/budgets/{id}/events',
  summary: 'List the levels that a budget has reached',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: budgetParams,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of them, newest first', body: pageOf(budgetEventView) },
  errors: ['not_found', 'invalid_cursor'],
  handle: async ({ principal, params, query }, ctx) =>
    answerPage(
      ctx,
      ['budget-events', principal.orgId, principal.userId, params.id],
      query,
      (page) => list(ctx, principal, params.id, page),
      viewBudgetEvent,
    ),
});
