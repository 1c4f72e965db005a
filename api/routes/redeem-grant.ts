import { z } from 'zod';
import { redeemGrant as redeem } from '../../shared/core/accounts/devices/redeem-grant.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { route } from '../basics/route.ts';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

export const redeemGrant = route({
  method: 'post',
  path: '/v1/token',
  summary: "Get a device's token",
  description:
    'RFC 8628 section 3.4. Answers `authorization_pending` until the user code is approved, then the token, once.',
  tag: 'Devices',
  auth: { kind: 'none' },
  bodyBytes: 16_384,
  bodyTypes: ['form', 'json'],
  errorStyle: 'oauth',
  body: z.object({
    grant_type: z.string().max(256).describe(`\`${GRANT_TYPE}\``),
    device_code: z.string().max(256).optional().describe('Needed with this grant type'),
    client_id: z.string().max(256).optional().describe('Ignored: there is one client'),
  }),
  success: {
    status: 200,
    description: 'The token; it is not shown again',
    body: z.strictObject({
      access_token: z.string(),
      token_type: z.literal('Bearer'),
      device_id: z.string(),
    }),
  },
  errors: [
    'authorization_pending',
    'slow_down',
    'expired_token',
    'invalid_grant',
    'access_denied',
    'unsupported_grant_type',
    'rebuilding',
  ],
  handle: async ({ body }, ctx) => {
    if (body.grant_type !== GRANT_TYPE)
      throw new DomainError('unsupported_grant_type', `The only grant type here is ${GRANT_TYPE}.`);
    if (!body.device_code) throw new DomainError('invalid_request', 'device_code is missing.');
    return { ...(await redeem(ctx, body.device_code)), token_type: 'Bearer' as const };
  },
});
