import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import { cachedDevices } from '../../credits/meter/prepare-receipt.ts';
import { deviceAddressChanges } from './metrics.ts';

const lastAddress = boundedCache<string, string>({ max: 100_000 });

/**
 * Reports a token that is used from more than one address, by a metric and a log line. A laptop moves now and then; two
 * machines with one token take turns all the time. Call it only for tokens that were accepted.
 */
export function noteDeviceAddress(
  ctx: Context,
  device: { accountId: string; tokenId: string },
  address: string,
): void {
  const known = lastAddress(ctx);
  const before = known.get(device.tokenId);
  if (before === address) return;
  known.set(device.tokenId, address);
  if (before === undefined) return;
  deviceAddressChanges(ctx).inc();
  ctx.log.warn(
    {
      account_id: device.accountId,
      device_id: cachedDevices(ctx).get(device.tokenId),
      addresses: [before, address],
    },
    'a device token is used from another address',
  );
}
