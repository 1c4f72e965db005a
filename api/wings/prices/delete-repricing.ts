import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { cancelRepricing } from '../../../shared/wings/prices/repricing/begin-applying.ts';
import { route } from '../../basics/route.ts';
import { repricingParams } from '../../schemas/params.ts';

export const deleteRepricing = route({
  method: 'delete',
  path: '/api/v1/repricings/{id}',
  summary: 'Cancel a preview of new prices',
  description: 'Only one that was not begun to be applied.',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:write' },
  params: repricingParams,
  success: { status: 204, description: 'It is gone' },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params }, ctx) => {
    await cancelRepricing(ctx, wholeOrganization(principal), params.id);
    return undefined;
  },
});
