import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { getRepricing } from '../../../shared/wings/prices/repricing/begin-applying.ts';
import {
  repricingInput,
  repricingView,
  viewRepricing,
} from '../../../shared/wings/prices/repricing/input.ts';
import { previewRepricing } from '../../../shared/wings/prices/repricing/preview.ts';
import { route } from '../../basics/route.ts';

export const createRepricing = route({
  method: 'post',
  path: '/api/v1/repricings',
  summary: 'Preview new prices of recorded calls',
  description:
    'Prices the calls of a time by the rules that hold now, as if they were recorded now. Voided calls are left out, and a reported ' +
    'cost stays unless a rule replaces it. No call changes before the preview is applied, which may be done for a day.',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:write' },
  body: repricingInput,
  success: { status: 201, description: 'The preview', body: repricingView },
  creates: {
    prefix: 'rpc',
    get: async (principal, id, ctx) =>
      viewRepricing(await getRepricing(ctx, wholeOrganization(principal), id)),
  },
  errors: ['conflict'],
  handle: async ({ principal, body }, ctx) =>
    viewRepricing(await previewRepricing(ctx, wholeOrganization(principal), body)),
});
