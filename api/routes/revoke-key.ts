import { revokeKey } from '../../shared/keys/manage-keys.ts';
import { route } from '../route.ts';
import { keyParams } from './rotate-key.ts';

export const revokeKeyRoute = route({
  method: 'delete',
  path: '/v1/keys/{id}',
  summary: 'Revoke an API key',
  description: 'From the next request on it is refused. Repeating it changes nothing.',
  tag: 'Keys',
  auth: { kind: 'idp' },
  priority: 'read',
  params: keyParams,
  success: { status: 204, description: 'Revoked' },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    await revokeKey(ctx, principal, params.id);
    return undefined;
  },
});
