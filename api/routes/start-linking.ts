import { z } from 'zod';
import { publicJwk } from '../../shared/core/accounts/devices/public-key.ts';
import { findLinking, startLinking as start } from '../../shared/core/accounts/devices/start-linking.ts';
import { DEVICE_CODE_LIFETIME_S } from '../../shared/platform/basics/contract.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';

/** A form can carry the JWK only as its JSON text. */
const jwk = z.preprocess((value) => (typeof value === 'string' ? parseJson(value) : value), publicJwk);

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export const startLinking = route({
  method: 'post',
  path: '/v1/device_authorization',
  summary: 'Begin to link a device',
  description:
    'RFC 8628 section 3.1. Show `user_code` to the person, who approves it, and poll `/v1/token` with `device_code`. ' +
    'Parameters that are not known are ignored, as RFC 6749 section 3.2 demands.',
  tag: 'Devices',
  auth: { kind: 'none' },
  bodyBytes: 16_384,
  // A grant that nobody approves is kept for about an hour.
  perAddress: { most: 100, perS: DEVICE_CODE_LIFETIME_S },
  bodyTypes: ['form', 'json'],
  errorStyle: 'oauth',
  body: z.object({
    client_id: z.string().max(256).optional().describe('Ignored: there is one client'),
    name: text(128)
      .refine((name) => !/\p{Cc}/u.test(name), 'must not hold control characters')
      .optional()
      .describe('Name in the list of devices'),
    public_key: jwk.optional().describe('Public key of the device as JWK; never answered again'),
  }),
  success: {
    status: 200,
    description: 'The codes',
    body: z.strictObject({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: z.string(),
      verification_uri_complete: z.string(),
      expires_in: z.int(),
      interval: z.int().describe('Seconds between two polls'),
    }),
  },
  creates: {
    prefix: 'dev',
    holdsSecret: true,
    get: async (_principal, id, ctx) => findLinking(ctx, id),
  },
  handle: async ({ body }, ctx) =>
    start(ctx, { name: body.name ?? null, public_key: body.public_key ?? null }),
});
