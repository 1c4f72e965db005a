import { denyLinking } from '../../shared/core/accounts/devices/answer-linking.ts';
import { route } from '../basics/route.ts';
import { userCodeBody } from './approve-device.ts';

export const denyDevice = route({
  method: 'post',
  path: '/v1/device_authorization/deny',
  summary: 'Deny a device',
  description: 'The device that shows `user_code` gets `access_denied` with its next poll.',
  tag: 'Devices',
  auth: { kind: 'idp' },
  body: userCodeBody,
  success: { status: 204, description: 'Denied' },
  errors: ['invalid_grant', 'expired_token'],
  handle: async ({ principal, body, request }, ctx) => {
    await denyLinking(ctx, { ...principal, address: request.address }, body.user_code);
    return undefined;
  },
});
