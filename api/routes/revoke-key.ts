import { revokeKey as revoke } from '../../shared/core/accounts/keys/manage-keys.ts';
import { route } from '../basics/route.ts';
import { keyParams } from '../schemas/params.ts';

export const revokeKey = route({
  method: 'delete',
  path: '/v1/keys/{id}',
  summary: 'Revoke an API key',
  description: 'From the next request on it is refused. Repeating it changes nothing.',
  tag: 'Keys',
  auth: { kind: 'idp' },
  params: keyParams,
  success: { status: 204, description: 'Revoked' },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    await revoke(ctx, principal, params.id);
    return undefined;
  },
});
