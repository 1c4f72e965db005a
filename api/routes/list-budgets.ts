import { z } from 'zod';
import { listBudgets as list } from '../../shared/core/limits/budgets/show/read-budgets.ts';
import {
  reservedBudgetView,
  showAllReserved,
} from '../../shared/core/limits/enforcement/reserve/show-reserved.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';

export const listBudgets = route({
  method: 'get',
  path: '/api/v1/budgets',
  summary: 'List budgets and their state',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of budgets, newest first', body: pageOf(reservedBudgetView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) =>
    answerPage(
      ctx,
      ['budgets', principal.orgId, principal.userId],
      query,
      async (page) => {
        const found = await list(ctx, principal, page);
        return { ...found, rows: await showAllReserved(ctx, principal.orgId, found.rows) };
      },
      (view) => view,
    ),
});
