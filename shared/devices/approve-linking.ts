import { recordAudit } from '../audit/record-audit.ts';
import { DEVICES_PER_ACCOUNT } from '../platform/basics/contract.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { findPending, invalidCode } from './find-pending.ts';
import { activeSeats } from './list-devices.ts';
import { deviceGrantRows } from './model.ts';

/**
 * A member takes the device that shows this user code into the own account. Once: of two who try, one wins.
 * Throws `invalid_grant` for a code that is unknown or used, `expired_token`, `too_many_requests` after five of those
 * from one account or address, `too_many_devices` (the code stays good).
 */
export async function approveLinking(
  ctx: Context,
  member: { accountId: string; orgId: string; address: string },
  typedCode: string,
): Promise<void> {
  const grant = await findPending(ctx, member, typedCode);
  if ((await activeSeats(ctx, member.accountId)).length >= DEVICES_PER_ACCOUNT) {
    throw new DomainError(
      'too_many_devices',
      `An account has at most ${DEVICES_PER_ACCOUNT} active devices. Revoke one, then enter the code again.`,
    );
  }
  const isPending = { $eq: ['$status', 'pending'] };
  await inTransaction(ctx.db, async (transaction) => {
    const { modifiedCount } = await deviceGrantRows(ctx).updateOne(
      { _id: grant._id },
      [
        {
          $set: {
            account_id: { $cond: [isPending, member.accountId, '$account_id'] },
            status: { $cond: [isPending, 'approved', '$status'] },
          },
        },
      ],
      { session: transaction },
    );
    if (modifiedCount === 0) throw invalidCode();
    const details = { account_id: member.accountId, device_id: grant.device_id };
    await recordAudit(ctx, { action: 'device.approve', org_id: member.orgId, details }, transaction);
  });
}
