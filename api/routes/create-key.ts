import { createKey } from '../../shared/keys/manage-keys.ts';
import { keyInput, mintedKeyView, viewKey } from '../../shared/keys/view.ts';
import { route } from '../route.ts';

export const createKeyRoute = route({
  method: 'post',
  path: '/v1/keys',
  summary: 'Make an API key',
  description: 'A member makes keys for the own user, with `signals:write` and `usage:read`.',
  tag: 'Keys',
  auth: { kind: 'idp' },
  priority: 'read',
  body: keyInput,
  success: { status: 201, description: 'The key, shown this once', body: mintedKeyView },
  errors: ['missing_scope'],
  handle: async ({ principal, body }, ctx) => {
    const { key, row } = await createKey(ctx, principal, body);
    return { ...viewKey(row), key };
  },
});
