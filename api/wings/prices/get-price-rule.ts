import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { getPriceRule as get } from '../../../shared/wings/prices/manage-rules.ts';
import { countedRuleView, viewCountedRule } from '../../../shared/wings/prices/view.ts';
import { route } from '../../basics/route.ts';
import { priceRuleParams } from '../../schemas/params.ts';

export const getPriceRule = route({
  method: 'get',
  path: '/api/v1/price-rules/{id}',
  summary: 'Get a price rule',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:read' },
  params: priceRuleParams,
  success: { status: 200, description: 'The price rule', body: countedRuleView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) =>
    viewCountedRule(ctx, await get(ctx, wholeOrganization(principal), params.id)),
});
