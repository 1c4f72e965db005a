import { z } from 'zod';
import { listBudgets as list } from '../../shared/core/limits/budgets/show/read-budgets.ts';
import { showUnpriced } from '../../shared/core/limits/budgets/show/read-unpriced.ts';
import { showAllReserved } from '../../shared/core/limits/enforcement/reserve/show-reserved.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';
import { shownBudgetView } from '../schemas/usage-scope.ts';

export const listBudgets = route({
  method: 'get',
  path: '/api/v1/budgets',
  summary: 'List budgets and their state',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of budgets, newest first', body: pageOf(shownBudgetView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) =>
    answerPage(
      ctx,
      ['budgets', principal.orgId, principal.userId],
      query,
      async (page) => {
        const found = await list(ctx, principal, page);
        const rows = await showAllReserved(ctx, principal.orgId, found.rows);
        return { ...found, rows: await showUnpriced(ctx, principal.orgId, rows) };
      },
      (view) => view,
    ),
});
