import { z } from 'zod';
import { revokeDevice as revoke } from '../../shared/core/accounts/devices/revoke-device.ts';
import { DEVICE_ID_LENGTH } from '../../shared/platform/basics/contract.ts';
import { route } from '../basics/route.ts';

/** Any other string could be a device id: when the caller has no such device, the answer is 404. */
const deviceId = z
  .string()
  .min(1)
  .refine((id) => Array.from(id).length <= DEVICE_ID_LENGTH, `must be at most ${DEVICE_ID_LENGTH} characters`)
  .refine((id) => !/\p{Cc}/u.test(id), 'must not hold control characters')
  .meta({ documentedAs: { type: 'string', minLength: 1, maxLength: DEVICE_ID_LENGTH } });

export const revokeDevice = route({
  method: 'post',
  path: '/v1/devices/revoke',
  summary: 'Revoke a device',
  description: 'From the answer on it spends nothing. Repeating it changes nothing.',
  tag: 'Devices',
  auth: { kind: 'idp' },
  priority: 'consume',
  body: z.object({ device_id: deviceId }),
  bodyTypes: ['untyped-json'],
  success: {
    status: 200,
    description: 'It is revoked',
    body: z.strictObject({ revoked: z.literal(true) }),
  },
  errors: ['not_found', 'rebuilding'],
  handle: async ({ principal, body }, ctx) => {
    await revoke(ctx, principal.accountId, body.device_id);
    return { revoked: true as const };
  },
});
