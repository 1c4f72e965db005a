import { z } from 'zod';
import { deviceTokenRows } from '../credits/meter/model.ts';
import { unixSeconds } from '../platform/basics/clock.ts';
import type { Context } from '../platform/context/context.ts';
import { type Device, type DeviceSeat, deviceRows, deviceSeatRows } from './model.ts';

/** A device as its owner sees it: times in Unix seconds, never the key. */
export const deviceView = z.strictObject({
  device_id: z.string(),
  name: z.string().nullable(),
  status: z.enum(['active', 'revoked']),
  created_at: z.int(),
  last_seen_at: z.int().nullable().describe('Null until its first spend'),
});

/** A device, and when it last spent. */
export type ListedDevice = Device & { last_seen_at: Date | null };

export function viewDevice(device: ListedDevice): z.output<typeof deviceView> {
  return {
    device_id: device.device_id,
    name: device.name,
    status: device.status,
    created_at: unixSeconds(device.created_at),
    last_seen_at: device.last_seen_at ? unixSeconds(device.last_seen_at) : null,
  };
}

/** All devices that an account ever had, newest first. */
export async function listDevices(ctx: Context, accountId: string): Promise<ListedDevice[]> {
  const [devices, tokens] = await Promise.all([
    deviceRows(ctx).find({ account_id: accountId }).sort({ created_at: -1 }).toArray(),
    deviceTokenRows(ctx)
      .find({ account_id: accountId }, { projection: { last_seen_at: 1 } })
      .toArray(),
  ]);
  const seen = new Map(tokens.map(({ _id, last_seen_at }) => [_id, last_seen_at]));
  return devices.map((device) => ({ ...device, last_seen_at: seen.get(device._id) ?? null }));
}

/** The seats of the active devices: at most twenty. */
export async function activeSeats(ctx: Context, accountId: string): Promise<DeviceSeat[]> {
  return deviceSeatRows(ctx).find({ account_id: accountId }).toArray();
}
