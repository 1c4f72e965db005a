import { z } from 'zod';
import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { FAILURE_CODES } from '../../../shared/wings/push/destinations/failures.ts';
import { getDestination } from '../../../shared/wings/push/destinations/manage-destinations.ts';
import { route } from '../../basics/route.ts';
import { destinationParams } from '../../schemas/params.ts';

export const testDestination = route({
  method: 'post',
  path: '/api/v1/destinations/{id}/test',
  summary: 'Try a destination of exports',
  description:
    'Takes the prefix by its marker `_governor.json`, lists it and looks whether a second marker is refused. It takes 20 seconds ' +
    'at the most.',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  params: destinationParams,
  success: {
    status: 200,
    description: 'The outcome of the test',
    body: z.strictObject({
      ok: z.boolean().describe('True when it can be written'),
      code: z.enum(FAILURE_CODES).nullable().describe('Why not'),
      detail: z.string().nullable().describe('The same in words'),
      conditional_writes: z
        .boolean()
        .nullable()
        .describe(
          'True when the place refuses a write whose condition does not hold; null when it cannot be written',
        ),
    }),
  },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    const destination = await getDestination(ctx, wholeOrganization(principal), params.id);
    // Only this route of the api writes to a destination: what that needs is loaded by its first call.
    const testing = await import('../../../shared/wings/push/destinations/test-destination.ts');
    return testing.testDestination(ctx, destination);
  },
});
