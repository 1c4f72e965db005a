import { recordAudit } from '../audit/record-audit.ts';
import { DEVICES_PER_ACCOUNT } from '../platform/basics/contract.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { findPending, invalidCode } from './find-pending.ts';
import { activeDevices } from './list-devices.ts';
import { type DeviceGrant, deviceGrantRows } from './model.ts';

/** Who answers a device, and from where. */
interface Answerer {
  accountId: string;
  orgId: string;
  address: string;
}

/**
 * A member takes the device that shows this user code into the own account. Once: of two who try, one wins.
 * Throws `invalid_grant` for a code that is unknown or used, `expired_token`, `too_many_requests` after five of those
 * from one account or address, `too_many_devices` (the code stays good).
 */
export async function approveLinking(ctx: Context, member: Answerer, typedCode: string): Promise<void> {
  const grant = await findPending(ctx, member, typedCode);
  if ((await activeDevices(ctx, member.accountId)).length >= DEVICES_PER_ACCOUNT) {
    throw new DomainError(
      'too_many_devices',
      `An account has at most ${DEVICES_PER_ACCOUNT} active devices. Revoke one, then enter the code again.`,
    );
  }
  await answer(ctx, member, grant, { status: 'approved', action: 'device.approve' });
}

/**
 * A member refuses the device that shows this user code: its next poll is told so. Throws `invalid_grant`,
 * `expired_token`, `too_many_requests` as an approval does.
 */
export async function denyLinking(ctx: Context, member: Answerer, typedCode: string): Promise<void> {
  const grant = await findPending(ctx, member, typedCode);
  await answer(ctx, member, grant, { status: 'denied', action: 'device.deny' });
}

async function answer(
  ctx: Context,
  { accountId, orgId }: Answerer,
  { _id, device_id }: DeviceGrant,
  { status, action }: { status: 'approved' | 'denied'; action: string },
): Promise<void> {
  await inTransaction(ctx.db, async (transaction) => {
    const { modifiedCount } = await deviceGrantRows(ctx).updateOne(
      { _id, status: 'pending' },
      { $set: { account_id: accountId, status } },
      { session: transaction },
    );
    if (modifiedCount === 0) throw invalidCode();
    const details = { account_id: accountId, device_id };
    await recordAudit(ctx, { action, org_id: orgId, details }, transaction);
  });
}
