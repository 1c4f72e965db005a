import { z } from 'zod';
import { showDestinations } from '../../shared/destinations/show-destinations.ts';
import { destinationView } from '../../shared/destinations/view.ts';
import { wholeOrganization } from '../../shared/organizations/reader.ts';
import { route } from '../basics/route.ts';

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
