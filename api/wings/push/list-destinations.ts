import { z } from 'zod';
import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { showDestinations } from '../../../shared/wings/push/destinations/show-destinations.ts';
import { destinationView } from '../../../shared/wings/push/destinations/view.ts';
import { route } from '../../basics/route.ts';

export const listDestinations = route({
  method: 'get',
  path: '/api/v1/destinations',
  summary: 'List destinations of exports',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  success: {
    status: 200,
    description: 'All destinations, oldest first',
    body: z.strictObject({ data: z.array(destinationView) }),
  },
  errors: [],
  handle: async ({ principal }, ctx) => ({
    data: await showDestinations(ctx, wholeOrganization(principal)),
  }),
});
