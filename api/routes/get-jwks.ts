import { z } from 'zod';
import { readJwks } from '../../shared/core/credits/receipts/publish-keys.ts';
import { route } from '../basics/route.ts';

export const getJwks = route({
  method: 'get',
  path: '/.well-known/jwks.json',
  summary: 'Public keys of the receipts',
  description: 'Also those that sign no more: a receipt names its key by `kid`.',
  tag: 'Credits',
  auth: { kind: 'none' },
  success: {
    status: 200,
    description: 'A JWK set (RFC 7517, RFC 8037)',
    body: z.strictObject({
      keys: z.array(
        z.strictObject({
          kty: z.literal('OKP'),
          crv: z.literal('Ed25519'),
          x: z.string(),
          kid: z.string(),
          alg: z.literal('Ed25519'),
          use: z.literal('sig'),
        }),
      ),
    }),
  },
  handle: async (_input, ctx) => ({ keys: await readJwks(ctx) }),
});
