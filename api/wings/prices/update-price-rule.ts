import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { priceRuleChange } from '../../../shared/wings/prices/input.ts';
import { changePriceRule } from '../../../shared/wings/prices/manage-rules.ts';
import { priceRuleView, viewPriceRule } from '../../../shared/wings/prices/view.ts';
import { route } from '../../basics/route.ts';
import { priceRuleParams } from '../../schemas/params.ts';

export const updatePriceRule = route({
  method: 'patch',
  path: '/api/v1/price-rules/{id}',
  summary: 'Rename or end a price rule',
  description:
    'Omitted fields keep their value. For another price, end the rule and create one that begins then.',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:write' },
  params: priceRuleParams,
  body: priceRuleChange,
  success: { status: 200, description: 'The changed price rule', body: priceRuleView },
  errors: ['not_found'],
  handle: async ({ principal, params, body }, ctx) =>
    viewPriceRule(await changePriceRule(ctx, wholeOrganization(principal), params.id, body)),
});
