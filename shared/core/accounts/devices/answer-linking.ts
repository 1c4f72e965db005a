import { DEVICES_PER_ACCOUNT } from '../../../platform/basics/contract.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { updateRow } from '../../../platform/mongo/writes.ts';
import type { AuditAction } from '../audit/actions.ts';
import { auditWrite } from '../audit/record-audit.ts';
import { findPending, invalidCode } from './find-pending.ts';
import { activeDevices } from './list-devices.ts';
import { type DeviceGrant, deviceGrantRows } from './model.ts';

/** The member who answers a device, and the address that the answer comes from. */
interface Answerer {
  accountId: string;
  orgId: string;
  address: string;
}

/**
 * Links the device that shows this user code to the member's account. Only one of several concurrent answers wins.
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
 * Refuses the device that shows this user code; its next poll gets that answer. Throws `invalid_grant`, `expired_token` and
 * `too_many_requests` as an approval does.
 */
export async function denyLinking(ctx: Context, member: Answerer, typedCode: string): Promise<void> {
  const grant = await findPending(ctx, member, typedCode);
  await answer(ctx, member, grant, { status: 'denied', action: 'device.deny' });
}

async function answer(
  ctx: Context,
  { accountId, orgId }: Answerer,
  { _id, device_id }: DeviceGrant,
  { status, action }: { status: 'approved' | 'denied'; action: AuditAction },
): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const grant = await deviceGrantRows(ctx).findOne({ _id }, { session: transaction });
    if (grant?.status !== 'pending') throw invalidCode();
    const details = { account_id: accountId, device_id };
    const writes = [
      updateRow(deviceGrantRows, { _id }, { $set: { account_id: accountId, status } }),
      auditWrite(ctx, { action, org_id: orgId, details }),
    ];
    return { writes, result: undefined };
  });
}
