import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { destinationInput } from '../../../shared/wings/push/destinations/input.ts';
import { createDestination as create } from '../../../shared/wings/push/destinations/manage-destinations.ts';
import { showDestination } from '../../../shared/wings/push/destinations/show-destinations.ts';
import { destinationView } from '../../../shared/wings/push/destinations/view.ts';
import { route } from '../../basics/route.ts';

export const createDestination = route({
  method: 'post',
  path: '/api/v1/destinations',
  summary: 'Add a destination of exports',
  description:
    'A bucket or a folder that gets the files of each finished UTC day, at its hour. An organization has at most 5. The operator ' +
    'says which servers and which folder there are.',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  body: destinationInput,
  success: { status: 201, description: 'The destination, without its secret', body: destinationView },
  creates: {
    prefix: 'dst',
    get: async ({ orgId }, id, ctx) => showDestination(ctx, orgId, id),
  },
  errors: ['conflict'],
  handle: async ({ principal, body }, ctx) => {
    const orgId = wholeOrganization(principal);
    const { _id } = await create(ctx, orgId, body);
    return showDestination(ctx, orgId, _id);
  },
});
