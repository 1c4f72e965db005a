import { approveLinking } from '../../shared/core/accounts/devices/answer-linking.ts';
import { deviceRows } from '../../shared/core/accounts/devices/model.ts';
import { redeemGrant } from '../../shared/core/accounts/devices/redeem-grant.ts';
import { startLinking } from '../../shared/core/accounts/devices/start-linking.ts';
import type { Member } from '../../shared/core/accounts/organizations/model.ts';
import type { Context } from '../../shared/platform/context/context.ts';

/** A linked device with its token, which is shown once. */
export interface DemoDevice {
  device_id: string;
  device_token: string;
}

/**
 * A device of a demo member: the one that was kept while it is active, else a new one, linked the way every device
 * is linked. Keep what this returns, because the token is shown once.
 */
export async function ensureDemoDevice(
  ctx: Context,
  member: Pick<Member, '_id' | 'org_id'>,
  kept: DemoDevice | null = null,
): Promise<DemoDevice> {
  if (kept) {
    const known = { account_id: member._id, device_id: kept.device_id };
    const device = await deviceRows(ctx).findOne(known);
    if (device?.status === 'active') return kept;
  }
  const { device_code, user_code } = await startLinking(ctx, { name: 'demo', public_key: null });
  const owner = { accountId: member._id, orgId: member.org_id, address: 'demo' };
  await approveLinking(ctx, owner, user_code);
  const { device_id, access_token } = await redeemGrant(ctx, device_code);
  return { device_id, device_token: access_token };
}
