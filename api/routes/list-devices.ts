import { z } from 'zod';
import { deviceView, listDevices as list } from '../../shared/core/accounts/devices/list-devices.ts';
import { route } from '../basics/route.ts';

export const listDevices = route({
  method: 'get',
  path: '/v1/devices',
  summary: "List the caller's devices",
  description: 'Newest first, revoked ones too. Times in Unix seconds.',
  tag: 'Devices',
  auth: { kind: 'idp' },
  success: {
    status: 200,
    description: 'Every device of the account',
    body: z.strictObject({ devices: z.array(deviceView) }),
  },
  handle: async ({ principal }, ctx) => ({ devices: await list(ctx, principal.accountId) }),
});
