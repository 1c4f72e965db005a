import { memberRows } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { ensureAccount } from './account.ts';

/** The account of a member, made when it is not there yet. Throws `not_found`, `rebuilding`, `store_unavailable`. */
export async function findAccount(ctx: Context, orgId: string, userId: string): Promise<string> {
  const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });
  if (!member || member.removed_at !== null) throw new DomainError('not_found', 'There is no such member.');
  const { plan } = await readOrganization(ctx, orgId);
  await ensureAccount(ctx, member, plan);
  return member._id;
}
