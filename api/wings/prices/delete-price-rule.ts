import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { removePriceRule } from '../../../shared/wings/prices/manage-rules.ts';
import { route } from '../../basics/route.ts';
import { priceRuleParams } from '../../schemas/params.ts';

export const deletePriceRule = route({
  method: 'delete',
  path: '/api/v1/price-rules/{id}',
  summary: 'Delete a price rule',
  description: 'The calls that it priced keep their cost and its name.',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:write' },
  params: priceRuleParams,
  success: { status: 204, description: 'It is gone' },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    await removePriceRule(ctx, wholeOrganization(principal), params.id);
    return undefined;
  },
});
