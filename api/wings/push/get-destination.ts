import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { showDestination } from '../../../shared/wings/push/destinations/show-destinations.ts';
import { destinationView } from '../../../shared/wings/push/destinations/view.ts';
import { route } from '../../basics/route.ts';
import { destinationParams } from '../../schemas/params.ts';

export const getDestination = route({
  method: 'get',
  path: '/api/v1/destinations/{id}',
  summary: 'Get a destination of exports',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  params: destinationParams,
  success: { status: 200, description: 'The destination, its last and its next run', body: destinationView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => showDestination(ctx, wholeOrganization(principal), params.id),
});
