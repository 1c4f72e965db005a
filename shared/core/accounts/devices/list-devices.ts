import { z } from 'zod';
import { unixSeconds } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { deviceTokenRows } from '../../credits/model.ts';
import { type Device, deviceRows } from './model.ts';

/** A device as its owner sees it: times in Unix seconds, never the key. */
export const deviceView = z.strictObject({
  device_id: z.string(),
  name: z.string().nullable(),
  status: z.enum(['active', 'revoked']),
  created_at: z.int(),
  last_seen_at: z.int().nullable().describe('Null until its first spend'),
});

/** All devices that an account ever had, newest first. */
export async function listDevices(ctx: Context, accountId: string): Promise<z.output<typeof deviceView>[]> {
  const [devices, tokens] = await Promise.all([
    deviceRows(ctx).find({ account_id: accountId }).sort({ created_at: -1 }).toArray(),
    deviceTokenRows(ctx)
      .find({ account_id: accountId }, { projection: { last_seen_at: 1 } })
      .toArray(),
  ]);
  const seenAt = new Map(tokens.map(({ _id, last_seen_at }) => [_id, last_seen_at]));
  return devices.map(({ device_id, name, status, created_at }) => {
    const lastSeenAt = seenAt.get(device_id);
    return {
      device_id,
      name,
      status,
      created_at: unixSeconds(created_at),
      last_seen_at: lastSeenAt ? unixSeconds(lastSeenAt) : null,
    };
  });
}

/** The active devices of an account: at most twenty. */
export async function activeDevices(ctx: Context, accountId: string): Promise<Device[]> {
  const devices = await deviceRows(ctx).find({ account_id: accountId }).toArray();
  return devices.filter(({ status }) => status === 'active');
}
