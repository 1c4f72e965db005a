import { z } from 'zod';
import { rotateKey as rotate } from '../../shared/keys/manage-keys.ts';
import { mintedKeyView, viewKey } from '../../shared/keys/view.ts';
import { route } from '../basics/route.ts';
import { createdKey } from '../schemas/created-key.ts';
import { keyParams } from '../schemas/params.ts';

const DEFAULT_GRACE_S = 86_400;
const LONGEST_GRACE_S = 30 * 86_400;

export const rotateKey = route({
  method: 'post',
  path: '/v1/keys/{id}/rotate',
  summary: 'Replace an API key',
  description: 'Makes a key like this one, which goes on for `grace_s`.',
  tag: 'Keys',
  auth: { kind: 'idp' },
  priority: 'read',
  params: keyParams,
  body: z.strictObject({
    grace_s: z
      .int()
      .min(0)
      .max(LONGEST_GRACE_S)
      .default(DEFAULT_GRACE_S)
      .describe('Seconds for which the old key goes on'),
  }),
  success: { status: 201, description: 'The new key, shown this once', body: mintedKeyView },
  creates: createdKey,
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) => {
    const { key, row } = await rotate(ctx, principal, params.id, body.grace_s);
    return { ...viewKey(row), key };
  },
});
