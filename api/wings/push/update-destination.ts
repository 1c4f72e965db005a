import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { destinationChange } from '../../../shared/wings/push/destinations/input.ts';
import { showDestination } from '../../../shared/wings/push/destinations/show-destinations.ts';
import { updateDestination as update } from '../../../shared/wings/push/destinations/update-destination.ts';
import { destinationView } from '../../../shared/wings/push/destinations/view.ts';
import { route } from '../../basics/route.ts';
import { destinationParams } from '../../schemas/params.ts';

export const updateDestination = route({
  method: 'patch',
  path: '/api/v1/destinations/{id}',
  summary: 'Change a destination of exports',
  description:
    'Omitted fields keep their value. A run that is under way ends, and another place is written from the first day on. A new ' +
    '`endpoint` or `access_key_id` needs the secret again. `enabled: false` pauses it.',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  params: destinationParams,
  body: destinationChange,
  success: { status: 200, description: 'The changed destination', body: destinationView },
  errors: ['not_found'],
  handle: async ({ principal, params, body }, ctx) => {
    const orgId = wholeOrganization(principal);
    await update(ctx, orgId, params.id, body);
    return showDestination(ctx, orgId, params.id);
  },
});
