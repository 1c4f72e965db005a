import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { callMeter, meterScript, notInRedis } from './call-meter.ts';

const putScript = meterScript('put-device');
const revokeScript = meterScript('revoke-device');

/**
 * Lets a device spend. `token_id` is the id inside its token (`mintDeviceToken`), `token_hmac` its `credentialHash`.
 * Repeating it changes nothing. Throws `rebuilding`, `store_unavailable`, `conflict` for a revoked device.
 */
export async function putDevice(
  ctx: Context,
  accountId: string,
  device: { device_id: string; token_id: string; token_hmac: string },
): Promise<void> {
  const { code } = await callMeter(ctx, {
    script: putScript,
    accountId,
    args: [device.token_id, device.device_id, device.token_hmac],
    codes: ['ok', 'missing', 'revoked'],
  });
  if (code === 'revoked') throw new DomainError('conflict', 'This device is revoked.');
  if (code === 'missing') throw notInRedis();
}

/**
 * Ends a device: from its return on no spend of it succeeds. Call it before the device's row says `revoked` (so that it
 * bites at once) and again after (so that a Redis which was rebuilt from the rows in between knows it too).
 * Repeating it changes nothing. Throws `rebuilding`, `store_unavailable`, `outcome_unknown`.
 */
export async function revokeDeviceAccess(ctx: Context, accountId: string, deviceId: string): Promise<void> {
  const { code } = await callMeter(ctx, {
    script: revokeScript,
    accountId,
    args: [deviceId],
    codes: ['ok', 'missing'],
  });
  if (code === 'missing') throw notInRedis();
}
