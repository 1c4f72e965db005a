import { auditRows } from '../core/accounts/audit/model.ts';
import { auditWrite } from '../core/accounts/audit/record-audit.ts';
import { deviceGrantRows, deviceRows } from '../core/accounts/devices/model.ts';
import { apiKeyRows } from '../core/accounts/keys/model.ts';
import { memberRows, organizationRows } from '../core/accounts/organizations/model.ts';
import { readOrganization } from '../core/accounts/organizations/read-organization.ts';
import { noMember } from '../core/accounts/organizations/roster.ts';
import { raiseOrganizationVersion } from '../core/accounts/organizations/versions.ts';
import { sessionsOfUser } from '../core/calls/sessions/list-sessions.ts';
import { eraseFreeText } from '../core/calls/signals/erase-free-text.ts';
import { wingsOf } from '../core/hooks/wing.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { updateRow } from '../platform/mongo/writes.ts';
import { type Removal, removeMember } from './remove-member.ts';

/** The counts of one run of an erasure: zero when an earlier run had finished. */
export interface Erasure {
  devices: number;
  keys: number;
  signals: number;
}

/** The name of a key whose own name was erased. */
const ERASED = 'erased';

/**
 * Erases what identifies a member: removes the member (`removeMember`), then erases names and public keys of devices,
 * names of bound API keys, the identity in the audit log, the words that the wings keep, and the free text of all
 * signals. Signals that arrive later keep none. `user_id`, account id, sums, frozen weeks and the ledger stay. Every step may be repeated, so a run that
 * was cut short is finished by another. The audit log notes it once, after the removal. Throws as `removeMember`.
 */
export async function eraseMember(
  ctx: Context,
  orgId: string,
  userId: string,
  { revokeMade }: Pick<Removal, 'revokeMade'> = {},
): Promise<Erasure> {
  const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });
  if (!member) throw noMember();
  await removeMember(ctx, orgId, userId, { revokeMade });
  await markErased(ctx, orgId, userId);
  const devices = await eraseDevices(ctx, member._id);
  const keys = await eraseKeyNames(ctx, orgId, userId);
  await eraseAuditedIdentity(ctx, orgId, userId);
  let signals = 0;
  for (const { person } of wingsOf(ctx)) signals += (await person?.erase?.(ctx, { orgId, userId })) ?? 0;
  for await (const session of sessionsOfUser(ctx, orgId, userId)) {
    signals += await eraseFreeText(ctx, session);
  }
  return { devices, keys, signals };
}

/** Marks the user as erased: signals of the user that are recorded later keep no free text. */
async function markErased(ctx: Context, orgId: string, userId: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const { erased_users = [] } = await readOrganization(ctx, orgId, transaction);
    if (erased_users.includes(userId)) return { result: undefined };
    const writes = [
      updateRow(organizationRows, { _id: orgId }, { $addToSet: { erased_users: userId } }),
      ...raiseOrganizationVersion(orgId),
      auditWrite(ctx, { action: 'member.erase', org_id: orgId, details: { user_id: userId } }),
    ];
    return { writes, result: undefined };
  });
}

async function eraseDevices(ctx: Context, accountId: string): Promise<number> {
  await deviceGrantRows(ctx).deleteMany({ account_id: accountId });
  const change = { $set: { name: null, public_key: null } };
  const { modifiedCount } = await deviceRows(ctx).updateMany({ account_id: accountId }, change);
  return modifiedCount;
}

async function eraseKeyNames(ctx: Context, orgId: string, userId: string): Promise<number> {
  const bound = { org_id: orgId, user_id: userId };
  const { modifiedCount } = await apiKeyRows(ctx).updateMany(bound, { $set: { name: ERASED } });
  return modifiedCount;
}

/** Entries of linking name issuer and subject. The entries stay, and say that the member was linked. */
async function eraseAuditedIdentity(ctx: Context, orgId: string, userId: string): Promise<void> {
  const linking = { action: { $in: ['member.identity', 'member.join'] }, 'details.user_id': userId };
  const entries = await auditRows(ctx)
    .aggregate<{ _id: string }>([
      { $match: { org_id: orgId } },
      { $match: linking },
      { $project: { _id: 1 } },
    ])
    .toArray();
  const ids = entries.map(({ _id }) => _id);
  const linked = { _id: { $in: ids }, org_id: orgId };
  await auditRows(ctx).updateMany(linked, { $unset: { 'details.iss': '', 'details.sub': '' } });
}
