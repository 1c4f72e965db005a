import type { ClientSession } from 'mongoose';
import { auditWrite, currentActor } from '../core/accounts/audit/record-audit.ts';
import { beginCreation } from '../core/accounts/idempotency/creation.ts';
import { confirmActor } from '../core/accounts/keys/confirm-actor.ts';
import { withEndOfMails } from '../core/accounts/organizations/ended-mails.ts';
import { type Member, memberRows } from '../core/accounts/organizations/model.ts';
import { readOrganization } from '../core/accounts/organizations/read-organization.ts';
import { noMember, refuseTakenEmail, rosterWrite } from '../core/accounts/organizations/roster.ts';
import type { MemberInput } from '../core/accounts/organizations/view.ts';
import { planTeamChange } from '../core/limits/budgets/count/recount.ts';
import { MEMBERS_PER_ORGANIZATION } from '../platform/basics/contract.ts';
import { foldEmail } from '../platform/basics/email.ts';
import { DomainError, isDuplicateKey } from '../platform/basics/errors.ts';
import { newId } from '../platform/basics/ids.ts';
import { commitPlan, joinPlans } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { insertRow } from '../platform/mongo/writes.ts';

/** A member as a route or a command adds it. */
type NewMember = MemberInput & { org_id: string; idp?: Member['idp'] | undefined };

/** Adds a person to an organization. Teams that it names exist from then on. Throws `conflict`, `not_found`. */
export async function addMember(ctx: Context, input: NewMember): Promise<Member> {
  const added = newMember(ctx, input);
  const { org_id, user_id, role, teams, email } = added;
  try {
    return await commitPlan(ctx, async (transaction) => {
      await beginCreation(ctx, 'usr', transaction);
      const actor = await confirmActor(ctx, { orgId: org_id, role: 'admin' }, transaction);
      await refuseTooMany(ctx, org_id, transaction);
      const organization = await readOrganization(ctx, org_id, transaction);
      await refuseTakenEmail(ctx, added, transaction);
      const ended = await withEndOfMails(ctx, [added], transaction);
      const [member = added] = ended.members;
      const joined = { orgId: org_id, userId: user_id, before: [], after: teams };
      const recount = await planTeamChange(ctx, joined, transaction);
      const writes = [
        ...actor.writes,
        ...ended.writes,
        insertRow(memberRows, member),
        rosterWrite(organization, { with: role === 'admin' && email !== null ? [email] : [], teams }),
        auditWrite(ctx, { action: 'member.add', org_id, details: { user_id, role } }),
      ];
      return { ...joinPlans(recount, { writes }), result: member };
    });
  } catch (error) {
    if (isDuplicateKey(error))
      throw new DomainError('conflict', 'A member has this identity, or has or had this user id.');
    throw error;
  }
}

/** The row of a person who is added to an organization. */
export function newMember(ctx: Context, input: NewMember): Member {
  const id = newId('usr');
  const invitedBy = currentActor();
  return {
    _id: id,
    org_id: input.org_id,
    user_id: input.user_id ?? id,
    email: foldEmail(input.email),
    // Operators answer for what they name; an admin's word is not enough to send mail to a stranger.
    ...(invitedBy === null ? { email_confirmed: true as const } : {}),
    name: input.name ?? null,
    role: input.role,
    teams: [...new Set(input.teams ?? [])],
    ...(input.idp ? { idp: input.idp } : {}),
    ...(invitedBy === null ? {} : { invited_by: invitedBy }),
    created_at: new Date(ctx.clock.now()),
    removed_at: null,
  };
}

/** Throws `conflict` when the organization would have too many members with so many more. */
export async function refuseTooMany(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
  more = 1,
): Promise<void> {
  const present = { org_id: orgId, removed_at: null };
  const count = await memberRows(ctx).countDocuments(present, { session: transaction });
  if (more > 0 && count + more > MEMBERS_PER_ORGANIZATION)
    throw new DomainError('conflict', `An organization has at most ${MEMBERS_PER_ORGANIZATION} members.`);
}

/** A present member, by the account's id. Throws `not_found`. */
export async function getMember(ctx: Context, orgId: string, accountId: string): Promise<Member> {
  const member = await memberRows(ctx).findOne({ _id: accountId });
  if (member?.org_id !== orgId || member.removed_at !== null) throw noMember();
  return member;
}
