import { rotateKey as rotate } from '../../shared/core/accounts/keys/manage-keys.ts';
import { mintedKeyView, rotation, viewKey } from '../../shared/core/accounts/keys/view.ts';
import { route } from '../basics/route.ts';
import { createdKey } from '../schemas/created-key.ts';
import { keyParams } from '../schemas/params.ts';

export const rotateKey = route({
  method: 'post',
  path: '/v1/keys/{id}/rotate',
  summary: 'Replace an API key',
  description: 'Makes a key like this one, which goes on for `grace_s`.',
  tag: 'Keys',
  auth: { kind: 'idp' },
  params: keyParams,
  body: rotation,
  success: { status: 201, description: 'The new key, shown this once', body: mintedKeyView },
  creates: createdKey,
  errors: ['not_found', 'missing_scope', 'too_many_keys'],
  handle: async ({ principal, params, body }, ctx) => {
    const { key, row } = await rotate(ctx, principal, params.id, body.grace_s);
    return { ...viewKey(row), key };
  },
});
