import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { getRepricing as get } from '../../../shared/wings/prices/repricing/begin-applying.ts';
import { repricingView, viewRepricing } from '../../../shared/wings/prices/repricing/input.ts';
import { route } from '../../basics/route.ts';
import { repricingParams } from '../../schemas/params.ts';

export const getRepricing = route({
  method: 'get',
  path: '/api/v1/repricings/{id}',
  summary: 'Get a repricing',
  description: 'While it is applied, `applied` and `skipped` together grow to `changed`.',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:read' },
  params: repricingParams,
  success: { status: 200, description: 'The repricing', body: repricingView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) =>
    viewRepricing(await get(ctx, wholeOrganization(principal), params.id)),
});
