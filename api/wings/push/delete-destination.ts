import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { deleteDestination as remove } from '../../../shared/wings/push/destinations/manage-destinations.ts';
import { route } from '../../basics/route.ts';
import { destinationParams } from '../../schemas/params.ts';

export const deleteDestination = route({
  method: 'delete',
  path: '/api/v1/destinations/{id}',
  summary: 'Delete a destination of exports',
  description: 'The files that it has stay.',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  params: destinationParams,
  success: { status: 204, description: 'It is gone' },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    await remove(ctx, wholeOrganization(principal), params.id);
    return undefined;
  },
});
