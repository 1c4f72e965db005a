import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { foldEmail } from '../../../platform/basics/email.ts';
import { DomainError, isDuplicateKey } from '../../../platform/basics/errors.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { updateRow } from '../../../platform/mongo/writes.ts';
import { auditWrite } from '../audit/record-audit.ts';
import { type Member, memberRows } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { memberReplacement } from '../organizations/roster.ts';
import type { Visitor, VisitorReason } from './me.ts';
import type { Identity } from './verify-access-token.ts';

/** The e-mail in a person's ID token. */
export interface Claims {
  email: string | null;
  isVerified: boolean;
}

/**
 * The invitations that a verified e-mail names: each present member, one per organization, who has no identity and has not
 * declined. Otherwise the reason why there is none.
 */
export async function findInvitations(
  ctx: Context,
  { email, isVerified }: Claims,
): Promise<{ reason: VisitorReason; accountIds: string[] }> {
  if (email === null || !isVerified) return { reason: 'unverified', accountIds: [] };
  const open = await readInvitations(ctx, { email });
  return { reason: open.length > 0 ? 'invited' : 'unknown', accountIds: open.map(({ _id }) => _id) };
}

/** The open invitations of an e-mail, the oldest first. */
async function readInvitations(ctx: Context, { email }: Pick<Invitation, 'email'>): Promise<Member[]> {
  const named = await memberRows(ctx)
    .find({ email: foldEmail(email) })
    .toArray();
  return named.filter(isOpen).toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime());
}

/** True when a member may still be joined by the person to whom the e-mail belongs. */
function isOpen(member: Member): boolean {
  return member.removed_at === null && member.idp === undefined && member.declined_at === undefined;
}

/** True while the invitation is open and names this e-mail: an admin may have corrected it since. */
function isFor(member: Member, { email }: Invitation): boolean {
  return isOpen(member) && member.email === foldEmail(email);
}

/** The invitation to an account, and the e-mail with which its person has signed in. */
export interface Invitation {
  accountId: string;
  email: string;
}

/**
 * Describes invitations to the person who is asked: the organization, the role and the inviter. Omits those that are gone
 * meanwhile.
 */
export async function describeInvitations(
  ctx: Context,
  { accountIds, email }: { accountIds: readonly string[]; email: string },
): Promise<Visitor['invitations']> {
  const open = (await readInvitations(ctx, { email })).filter(({ _id }) => accountIds.includes(_id));
  return Promise.all(open.map((member) => describe(ctx, member)));
}

async function describe(ctx: Context, member: Member): Promise<Visitor['invitations'][number]> {
  const [organization, inviter] = await Promise.all([
    readOrganization(ctx, member.org_id),
    nameInviter(ctx, member),
  ]);
  return { id: member._id, organization: organization.name, role: member.role, invited_by: inviter };
}

/** The person to whom an invited member owes the invitation, in words. */
export async function nameInviter(ctx: Context, { invited_by }: Member): Promise<string> {
  if (invited_by === undefined) return 'an operator of this service';
  const inviter = await memberRows(ctx).findOne({ _id: invited_by });
  return inviter?.name ?? inviter?.email ?? 'an admin who has left';
}

/**
 * Links the identity of a person who said yes to the invited member; repeating it changes nothing. Never
 * replaces an identity. Throws `conflict` when the invitation is gone, or the identity is another member's.
 */
export async function acceptInvitation(
  ctx: Context,
  invitation: Invitation & { identity: Identity },
): Promise<Member> {
  const { accountId: _id, identity } = invitation;
  try {
    return await commitPlan(ctx, async (transaction) => {
      const linked = { _id, 'idp.iss': identity.iss, 'idp.sub': identity.sub };
      const joinedBefore = await memberRows(ctx).findOne(linked, { session: transaction });
      if (joinedBefore) return { result: joinedBefore };
      const member = await readOpen(ctx, invitation, transaction);
      // The identity provider has verified this e-mail.
      const joined: Member = { ...member, idp: identity, email_confirmed: true };
      const details = { user_id: member.user_id, ...joined.idp };
      const audit = auditWrite(ctx, { action: 'member.join', org_id: member.org_id, details });
      return { writes: [...memberReplacement(joined), audit], result: joined };
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw new DomainError('conflict', 'Another member has this identity.');
    throw error;
  }
}

/** Declines an invitation: it is gone until an admin renews it. Throws `conflict` when it is gone already. */
export async function declineInvitation(ctx: Context, invitation: Invitation): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const member = await readOpen(ctx, invitation, transaction);
    const change = { declined_at: dateAt(ctx.clock.now()) };
    const details = { user_id: member.user_id };
    const writes = [
      updateRow(memberRows, { _id: member._id }, { $set: change }),
      auditWrite(ctx, { action: 'member.decline', org_id: member.org_id, details }),
    ];
    return { writes, result: undefined };
  });
}

async function readOpen(ctx: Context, invitation: Invitation, transaction: ClientSession): Promise<Member> {
  const member = await memberRows(ctx).findOne({ _id: invitation.accountId }, { session: transaction });
  if (!member || !isFor(member, invitation)) throw new DomainError('conflict', 'This invitation is gone.');
  return member;
}
