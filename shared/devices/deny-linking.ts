import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { findPending, invalidCode } from './find-pending.ts';
import { deviceGrantRows } from './model.ts';

/**
 * A member refuses the device that shows this user code: its next poll is told so. Throws `invalid_grant`,
 * `expired_token`, `too_many_requests` as an approval does.
 */
export async function denyLinking(
  ctx: Context,
  member: { accountId: string; orgId: string; address: string },
  typedCode: string,
): Promise<void> {
  const grant = await findPending(ctx, member, typedCode);
  const isPending = { $eq: ['$status', 'pending'] };
  await inTransaction(ctx.db, async (transaction) => {
    const { modifiedCount } = await deviceGrantRows(ctx).updateOne(
      { _id: grant._id },
      [{ $set: { status: { $cond: [isPending, 'denied', '$status'] } } }],
      { session: transaction },
    );
    if (modifiedCount === 0) throw invalidCode();
    const details = { account_id: member.accountId, device_id: grant.device_id };
    await recordAudit(ctx, { action: 'device.deny', org_id: member.orgId, details }, transaction);
  });
}
