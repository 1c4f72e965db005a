import { z } from 'zod';
import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import type { ListPage } from '../../../shared/platform/basics/paginate.ts';
import { listPriceRules as list } from '../../../shared/wings/prices/manage-rules.ts';
import { countedRuleView, viewCountedRules } from '../../../shared/wings/prices/view.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../../schemas/page.ts';

export const listPriceRules = route({
  method: 'get',
  path: '/api/v1/price-rules',
  summary: 'List price rules',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:read' },
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of price rules', body: pageOf(countedRuleView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const orgId = wholeOrganization(principal);
    const load = async (page: ListPage) => {
      const { rows, ...listed } = await list(ctx, orgId, page);
      return { ...listed, rows: await viewCountedRules(ctx, rows) };
    };
    return answerPage(ctx, ['price rules', orgId], query, load, (rule) => rule);
  },
});
