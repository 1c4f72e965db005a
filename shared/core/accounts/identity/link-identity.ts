import { DomainError, isDuplicateKey } from '../../../platform/basics/errors.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { auditWrite } from '../audit/record-audit.ts';
import { memberRows } from '../organizations/model.ts';
import { memberReplacement, noMember } from '../organizations/roster.ts';
import type { Identity } from './verify-access-token.ts';

/**
 * Links a member to an identity of the identity provider, in place of any earlier one, also a member who has turned the
 * invitation down. Repeating it changes nothing. Throws `not_found`, and `conflict` when another member has the identity.
 */
export async function linkIdentity(
  ctx: Context,
  orgId: string,
  userId: string,
  idp: Identity,
): Promise<void> {
  try {
    await commitPlan(ctx, async (transaction) => {
      const person = { org_id: orgId, user_id: userId };
      const member = await memberRows(ctx).findOne(person, { session: transaction });
      if (!member || member.removed_at !== null) throw noMember();
      if (member.idp?.iss === idp.iss && member.idp.sub === idp.sub) return { result: undefined };
      const { declined_at: _, ...invited } = member;
      const details = { user_id: userId, ...idp };
      const audit = auditWrite(ctx, { action: 'member.identity', org_id: orgId, details });
      return { writes: [...memberReplacement({ ...invited, idp }), audit], result: undefined };
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw new DomainError('conflict', 'Another member has this identity.');
    throw error;
  }
}
