import { DomainError, isCode, orUnknown } from '../../../platform/basics/errors.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { dueId, dueRows } from '../../../platform/due/model.ts';
import { updateRow } from '../../../platform/mongo/writes.ts';
import { revokeDeviceAccess } from '../../credits/meter/account-record.ts';
import { deviceTokenRows } from '../../credits/model.ts';
import { auditWrite } from '../audit/record-audit.ts';
import { revokeDevicesJob } from './jobs.ts';
import { type Device, deviceRows } from './model.ts';

/**
 * Ends a device: first in Redis, where it takes effect at once, then in its row. Repeating it changes nothing. Throws
 * `not_found` for everything that is not the account's, after one query whatever the id was; `store_unavailable` or
 * `rebuilding` when nothing was done, and `outcome_unknown` when Redis has ended the device and the record may not say so.
 * Each of them has to be repeated.
 */
export async function revokeDevice(ctx: Context, accountId: string, deviceId: string): Promise<void> {
  const device = await deviceRows(ctx).findOne({ account_id: accountId, device_id: deviceId });
  if (!device) throw noDevice();
  await revokeInRedis(ctx, accountId, deviceId);
  if (device.status === 'revoked') return;
  await orUnknown(
    markRevoked(ctx, device),
    'The device spends no more, and its row may not say so yet. Repeat the request.',
  );
  // A Redis that was rebuilt from the rows between the two steps has taken it for active.
  await revokeInRedis(ctx, accountId, deviceId);
}

async function markRevoked(ctx: Context, { _id, account_id, org_id }: Device): Promise<void> {
  const revoked_at = new Date(ctx.clock.now());
  await commitPlan(ctx, async (transaction) => {
    const device = await deviceRows(ctx).findOne({ _id }, { session: transaction });
    if (device?.status !== 'active') return { result: undefined };
    const details = { account_id, device_id: _id };
    const writes = [
      updateRow(deviceRows, { _id }, { $set: { status: 'revoked', revoked_at } }),
      updateRow(deviceTokenRows, { _id }, { $set: { revoked_at } }),
      auditWrite(ctx, { action: 'device.revoke', org_id, details }),
    ];
    return { writes, result: undefined };
  });
}

/** For an operator, who may end any device: as `revokeDevice`. */
export async function revokeAnyDevice(ctx: Context, deviceId: string): Promise<void> {
  const device = await deviceRows(ctx).findOne({ _id: deviceId });
  if (!device) throw noDevice();
  await revokeDevice(ctx, device.account_id, deviceId);
}

function noDevice(): DomainError {
  return new DomainError('not_found', 'There is no such device.');
}

/**
 * Revokes the devices of a removed member, also those whose row says so: Redis may have been rebuilt from it before. Clears
 * the due row. Repeating it changes nothing. Throws as `revokeDevice`.
 */
export async function revokeDevicesOfRemoved(ctx: Context, accountId: string): Promise<void> {
  const devices = await deviceRows(ctx).find({ account_id: accountId }).toArray();
  for (const { device_id } of devices) await revokeDevice(ctx, accountId, device_id);
  await dueRows(ctx).deleteOne({ _id: dueId(revokeDevicesJob, accountId) });
}

/** Reports an unknown outcome as not done, because repeating the revocation is safe. */
async function revokeInRedis(ctx: Context, accountId: string, deviceId: string): Promise<void> {
  try {
    await revokeDeviceAccess(ctx, accountId, deviceId);
  } catch (error) {
    if (!isCode(error, 'outcome_unknown')) throw error;
    throw new DomainError('store_unavailable', 'Redis did not answer in time. Repeat the request.');
  }
}
