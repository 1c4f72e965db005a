import { z } from 'zod';
import type { Context } from '../platform/context/context.ts';
import { type Device, type DeviceSlot, deviceRows, deviceSlotRows } from './model.ts';

/** Interface 2.6 and the name: times in Unix seconds, never the key. */
export const deviceView = z.strictObject({
  device_id: z.string(),
  name: z.string().nullable(),
  status: z.enum(['active', 'revoked']),
  created_at: z.int(),
  last_seen_at: z.int().nullable().describe('Null until its first spend'),
});

export function viewDevice(device: Device): z.output<typeof deviceView> {
  return {
    device_id: device.device_id,
    name: device.name,
    status: device.status,
    created_at: unixSeconds(device.created_at),
    last_seen_at: device.last_seen_at ? unixSeconds(device.last_seen_at) : null,
  };
}

function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

/** All devices that an account ever had, newest first. */
export async function listDevices(ctx: Context, accountId: string): Promise<Device[]> {
  return deviceRows(ctx).find({ account_id: accountId }).sort({ created_at: -1 }).toArray();
}

/** The active ones: at most twenty. */
export async function activeSlots(ctx: Context, accountId: string): Promise<DeviceSlot[]> {
  return deviceSlotRows(ctx).find({ account_id: accountId }).toArray();
}
