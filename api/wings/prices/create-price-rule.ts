import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { priceRuleInput } from '../../../shared/wings/prices/input.ts';
import { createPriceRule as create, getPriceRule } from '../../../shared/wings/prices/manage-rules.ts';
import { priceRuleView, viewPriceRule } from '../../../shared/wings/prices/view.ts';
import { route } from '../../basics/route.ts';

export const createPriceRule = route({
  method: 'post',
  path: '/api/v1/price-rules',
  summary: 'Create a price rule',
  description:
    'Calls that match it and are recorded from now on have its price. Of several rules that match, the one with more fields ' +
    'wins, then an exact model before a pattern, then the later `from`, then the later creation. An organization has at most 1,000.',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:write' },
  body: priceRuleInput,
  success: { status: 201, description: 'The price rule', body: priceRuleView },
  creates: {
    prefix: 'prl',
    get: async (principal, id, ctx) =>
      viewPriceRule(await getPriceRule(ctx, wholeOrganization(principal), id)),
  },
  errors: ['conflict'],
  handle: async ({ principal, body }, ctx) =>
    viewPriceRule(await create(ctx, wholeOrganization(principal), body)),
});
