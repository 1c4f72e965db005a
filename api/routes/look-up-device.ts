import { z } from 'zod';
import { findPending } from '../../shared/core/accounts/devices/find-pending.ts';
import { unixSeconds } from '../../shared/platform/basics/clock.ts';
import { route } from '../basics/route.ts';
import { userCodeBody } from './approve-device.ts';

export const lookUpDevice = route({
  method: 'post',
  changesNothing: true,
  path: '/v1/device_authorization/lookup',
  summary: 'Look at a device before approving it',
  description:
    'Name that the device with this `user_code` gives itself. Wrong codes count like those of an approval.',
  tag: 'Devices',
  auth: { kind: 'idp' },
  body: userCodeBody,
  success: {
    status: 200,
    description: 'The device that asks',
    body: z.strictObject({
      name: z.string().nullable().describe('By its own account'),
      created_at: z.int().describe('When it asked, Unix seconds'),
    }),
  },
  errors: ['invalid_grant', 'expired_token'],
  handle: async ({ principal, body, request }, ctx) => {
    const member = { accountId: principal.accountId, address: request.address };
    const { name, created_at } = await findPending(ctx, member, body.user_code);
    return { name, created_at: unixSeconds(created_at) };
  },
});
