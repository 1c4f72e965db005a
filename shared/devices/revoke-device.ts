import { recordAudit } from '../audit/record-audit.ts';
import { revokeDeviceAccess } from '../credits/meter/device-access.ts';
import { deviceTokenRows } from '../credits/model.ts';
import { DomainError, isCode, orUnknown } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { dueId, dueRows } from '../platform/due/model.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { revokeDevicesJob } from './jobs.ts';
import { type Device, deviceRows } from './model.ts';

/**
 * Ends a device: Redis first, where it bites at once, then the record. Repeating it changes nothing. Throws
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
  const revokedAt = new Date(ctx.clock.now());
  await inTransaction(ctx.db, async (transaction) => {
    const { modifiedCount } = await deviceRows(ctx).updateOne(
      { _id, status: 'active' },
      { $set: { status: 'revoked', revoked_at: revokedAt } },
      { session: transaction },
    );
    if (modifiedCount === 0) return;
    await deviceTokenRows(ctx).updateOne(
      { _id },
      { $set: { revoked_at: revokedAt } },
      { session: transaction },
    );
    const details = { account_id, device_id: _id };
    await recordAudit(ctx, { action: 'device.revoke', org_id, details }, transaction);
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
 * Revokes the devices of a removed member, also those whose row says so: Redis may have been rebuilt from it before. Ends
 * what is due about them. Repeating it changes nothing. Throws as `revokeDevice`.
 */
export async function revokeDevicesOfRemoved(ctx: Context, accountId: string): Promise<void> {
  const devices = await deviceRows(ctx).find({ account_id: accountId }).toArray();
  for (const { device_id } of devices) await revokeDevice(ctx, accountId, device_id);
  await dueRows(ctx).deleteOne({ _id: dueId(revokeDevicesJob, accountId) });
}

/** What is not known to be done is repeated, and repeating it is safe: to the caller it was not done. */
async function revokeInRedis(ctx: Context, accountId: string, deviceId: string): Promise<void> {
  try {
    await revokeDeviceAccess(ctx, accountId, deviceId);
  } catch (error) {
    if (!isCode(error, 'outcome_unknown')) throw error;
    throw new DomainError('store_unavailable', 'Redis did not answer in time. Repeat the request.');
  }
}
