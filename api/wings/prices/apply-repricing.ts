import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { beginApplying } from '../../../shared/wings/prices/repricing/begin-applying.ts';
import { repricingView, viewRepricing } from '../../../shared/wings/prices/repricing/input.ts';
import { route } from '../../basics/route.ts';
import { repricingParams } from '../../schemas/params.ts';

export const applyRepricing = route({
  method: 'post',
  path: '/api/v1/repricings/{id}/apply',
  summary: 'Apply a preview of new prices',
  description:
    'Workers give the calls the prices of the preview. It is refused as `preview_stale` when price rules or a call of the preview have ' +
    'changed since, and while another repricing is applied. Calls that were recorded since are no part of it. Repeating it changes ' +
    'nothing.',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:write' },
  params: repricingParams,
  success: { status: 202, description: 'It is being applied', body: repricingView },
  errors: ['not_found', 'preview_stale'],
  handle: async ({ principal, params }, ctx) =>
    viewRepricing(await beginApplying(ctx, wholeOrganization(principal), params.id)),
});
