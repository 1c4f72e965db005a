import type { ClientSession } from 'mongoose';
import { recordAudit } from '../audit/record-audit.ts';
import { type Member, memberRows } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { replaceMember } from '../organizations/roster.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { DomainError, isDuplicateKey } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import type { Visitor, VisitorReason } from './me.ts';
import type { Identity } from './verify-access-token.ts';

/** What an ID token says of a person without an account here. */
export interface Claims {
  email: string | null;
  isVerified: boolean;
}

/**
 * The invitation that a verified e-mail names: the one present member, over all organizations, who has no identity and
 * has not said no. Else why there is none.
 */
export async function findInvitation(
  ctx: Context,
  { email, isVerified }: Claims,
): Promise<{ reason: VisitorReason; member: Member | null }> {
  if (email === null || !isVerified) return { reason: 'unverified', member: null };
  const named = await memberRows(ctx).find({ email: email.toLowerCase() }).toArray();
  const [member, another] = named.filter(isOpen);
  if (!member) return { reason: 'unknown', member: null };
  return another ? { reason: 'ambiguous', member: null } : { reason: 'invited', member };
}

/** Whether a member may still be joined by whom the e-mail belongs to. */
function isOpen(member: Member): boolean {
  return member.removed_at === null && member.idp === undefined && member.declined_at === undefined;
}

/** An admin may have corrected the e-mail since: then another person is invited. */
function isFor(member: Member, { email }: Invitation): boolean {
  return isOpen(member) && member.email === email.toLowerCase();
}

/** The invitation of an account, as the e-mail named it that its person has signed in with. */
export interface Invitation {
  accountId: string;
  email: string;
}

/** What an invitation says to the person who is asked: join what, as what, invited by whom. Null when it is gone. */
export async function describeInvitation(
  ctx: Context,
  invitation: Invitation,
): Promise<Visitor['invitation']> {
  const member = await memberRows(ctx).findOne({ _id: invitation.accountId });
  if (!member || !isFor(member, invitation)) return null;
  const [organization, inviter] = await Promise.all([
    readOrganization(ctx, member.org_id),
    nameInviter(ctx, member),
  ]);
  return { organization: organization.name, role: member.role, invited_by: inviter };
}

async function nameInviter(ctx: Context, { invited_by }: Member): Promise<string> {
  if (invited_by === undefined) return 'an operator of this service';
  const inviter = await memberRows(ctx).findOne({ _id: invited_by });
  return inviter?.name ?? inviter?.email ?? 'an admin who has left';
}

/**
 * Links the identity of a person who said yes to the invited member; a yes that is said again changes nothing. Never
 * replaces an identity. Throws `conflict` when the invitation is gone, or the identity is another member's.
 */
export async function acceptInvitation(
  ctx: Context,
  invitation: Invitation & { identity: Identity },
): Promise<Member> {
  const { accountId: _id, identity } = invitation;
  try {
    return await inTransaction(ctx.db, async (transaction) => {
      const linked = { _id, 'idp.iss': identity.iss, 'idp.sub': identity.sub };
      const joinedBefore = await memberRows(ctx).findOne(linked, { session: transaction });
      if (joinedBefore) return joinedBefore;
      const member = await readOpen(ctx, invitation, transaction);
      const joined = { ...member, idp: identity };
      await replaceMember(ctx, joined, transaction);
      const details = { user_id: member.user_id, ...joined.idp };
      await recordAudit(ctx, { action: 'member.join', org_id: member.org_id, details }, transaction);
      return joined;
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw new DomainError('conflict', 'Another member has this identity.');
    throw error;
  }
}

/** Takes a no for an answer: the invitation is gone until an admin renews it. Throws `conflict` when it is gone already. */
export async function declineInvitation(ctx: Context, invitation: Invitation): Promise<void> {
  await inTransaction(ctx.db, async (transaction) => {
    const member = await readOpen(ctx, invitation, transaction);
    const change = { declined_at: dateAt(ctx.clock.now()) };
    await memberRows(ctx).updateOne({ _id: member._id }, { $set: change }, { session: transaction });
    const details = { user_id: member.user_id };
    await recordAudit(ctx, { action: 'member.decline', org_id: member.org_id, details }, transaction);
  });
}

async function readOpen(ctx: Context, invitation: Invitation, transaction: ClientSession): Promise<Member> {
  const member = await memberRows(ctx).findOne({ _id: invitation.accountId }, { session: transaction });
  if (!member || !isFor(member, invitation)) throw new DomainError('conflict', 'This invitation is gone.');
  return member;
}
