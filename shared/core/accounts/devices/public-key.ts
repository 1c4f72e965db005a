import { z } from 'zod';
import { exactText } from '../../../platform/basics/text.ts';

const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,1400}$/, 'must be base64url');
const shared = {
  kid: exactText.max(256).optional(),
  alg: exactText.max(32).optional(),
  use: z.literal('sig').optional(),
};

/** A public key as JWK (RFC 7517, RFC 8037). Strict, so that a private one is refused. */
export const publicJwk = z.discriminatedUnion('kty', [
  z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: base64url, ...shared }),
  z.strictObject({
    kty: z.literal('EC'),
    crv: z.enum(['P-256', 'P-384', 'P-521']),
    x: base64url,
    y: base64url,
    ...shared,
  }),
  z.strictObject({ kty: z.literal('RSA'), n: base64url, e: base64url, ...shared }),
]);
