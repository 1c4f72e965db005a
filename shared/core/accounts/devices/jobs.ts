import { dueJob } from '../../../platform/due/model.ts';

/** Revokes the devices of a member who was removed. The key is the account. */
export const revokeDevicesJob = dueJob('revoke-devices');
