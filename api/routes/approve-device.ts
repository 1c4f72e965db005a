import { z } from 'zod';
import { approveLinking } from '../../shared/core/accounts/devices/answer-linking.ts';
import { route } from '../basics/route.ts';

export const userCodeBody = z.strictObject({
  user_code: z.string().min(1).max(64).describe('As the device shows it; case and dashes do not matter'),
});

export const approveDevice = route({
  method: 'post',
  path: '/v1/device_authorization/approve',
  summary: 'Approve a device',
  description:
    'Takes the device that shows `user_code` into the account. Each code once; five wrong ones are a 429.',
  tag: 'Devices',
  auth: { kind: 'idp' },
  body: userCodeBody,
  success: { status: 204, description: 'Approved: the device gets its token with its next poll' },
  errors: ['invalid_grant', 'expired_token', 'too_many_devices'],
  handle: async ({ principal, body, request }, ctx) => {
    await approveLinking(ctx, { ...principal, address: request.address }, body.user_code);
    return undefined;
  },
});
