import { createKey as create } from '../../shared/core/accounts/keys/manage-keys.ts';
import { keyInput, mintedKeyView, viewKey } from '../../shared/core/accounts/keys/view.ts';
import { route } from '../basics/route.ts';
import { createdKey } from '../schemas/created-key.ts';

export const createKey = route({
  method: 'post',
  path: '/v1/keys',
  summary: 'Make an API key',
  description:
    'Members make only keys that are bound to themselves, with at most `signals:write`, `usage:read` and `budgets:check`.',
  tag: 'Keys',
  auth: { kind: 'idp' },
  body: keyInput,
  success: { status: 201, description: 'The key, shown this once', body: mintedKeyView },
  creates: createdKey,
  errors: ['missing_scope', 'too_many_keys'],
  handle: async ({ principal, body }, ctx) => {
    const { key, row } = await create(ctx, principal, body);
    return { ...viewKey(row), key };
  },
});
