import { recordAudit } from '../audit/record-audit.ts';
import { memberRows } from '../organizations/model.ts';
import { noMember, replaceMember } from '../organizations/roster.ts';
import { DomainError, isDuplicateKey } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import type { Identity } from './verify-access-token.ts';

/**
 * Links a member to an identity of the identity provider, in place of any earlier one. Repeating it changes nothing.
 * Throws `not_found`, and `conflict` when another member has the identity.
 */
export async function linkIdentity(
  ctx: Context,
  orgId: string,
  userId: string,
  idp: Identity,
): Promise<void> {
  try {
    await inTransaction(ctx.db, async (transaction) => {
      const member = await memberRows(ctx).findOne(
        { org_id: orgId, user_id: userId },
        { session: transaction },
      );
      if (!member || member.removed_at !== null) throw noMember();
      if (member.idp?.iss === idp.iss && member.idp.sub === idp.sub) return;
      await replaceMember(ctx, { ...member, idp }, transaction);
      const details = { user_id: userId, ...idp };
      await recordAudit(ctx, { action: 'member.identity', org_id: orgId, details }, transaction);
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw new DomainError('conflict', 'Another member has this identity.');
    throw error;
  }
}
