import { auditWrite, currentActor } from '../core/accounts/audit/record-audit.ts';
import { confirmActor } from '../core/accounts/keys/confirm-actor.ts';
import { keepEndOfMails, withEndOfMails } from '../core/accounts/organizations/ended-mails.ts';
import { type Member, memberRows, type Organization } from '../core/accounts/organizations/model.ts';
import { readOrganization } from '../core/accounts/organizations/read-organization.ts';
import {
  memberReplacement,
  noMember,
  type RosterChange,
  refuseLastAdmin,
  refuseTakenEmail,
  rosterWrite,
} from '../core/accounts/organizations/roster.ts';
import type { MemberChange } from '../core/accounts/organizations/view.ts';
import { planTeamChange } from '../core/limits/budgets/count/recount.ts';
import { foldEmail } from '../platform/basics/email.ts';
import { given } from '../platform/basics/given.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { NOTHING_MADE, planMade } from './made-by.ts';

/**
 * Changes a member who is there. The same `email` again renews an invitation that was turned down. Throws `not_found`,
 * `conflict` for the last admin's role and another member's e-mail, and `revoke_made_needed` for an admin who made
 * something and becomes a member (`planMade`).
 */
export async function changeMember(
  ctx: Context,
  orgId: string,
  userId: string,
  change: MemberChange,
  { revokeMade }: { revokeMade?: boolean | undefined } = {},
): Promise<Member> {
  return commitPlan(ctx, async (transaction) => {
    const actor = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const person = { org_id: orgId, user_id: userId };
    const before = await memberRows(ctx).findOne(person, { session: transaction });
    if (!before || before.removed_at !== null) throw noMember();
    const wanted = changed(before, change);
    const isMoved = wanted.email !== before.email;
    const ended = await withEndOfMails(ctx, isMoved ? [wanted] : [], transaction);
    const [after = wanted] = ended.members;
    const isDemoted = before.role === 'admin' && after.role !== 'admin';
    if (isDemoted) await refuseLastAdmin(ctx, before, transaction);
    const made = isDemoted ? await planMade(ctx, before, revokeMade, transaction) : NOTHING_MADE;
    if (isMoved) await refuseTakenEmail(ctx, after, transaction);
    const organization = await readOrganization(ctx, orgId, transaction);
    const teams = { before: before.teams, after: after.teams };
    const recount =
      change.teams === undefined
        ? NO_PLAN
        : await planTeamChange(ctx, { orgId, userId, ...teams }, transaction);
    const details = { user_id: userId, ...auditable(change), ...made.details };
    const writes = [
      ...memberReplacement(after),
      ...ended.writes,
      ...(isMoved ? keepEndOfMails(ctx, before) : []),
      ...actor.writes,
      rosterWrite(organization, { ...alertChange(organization, before, after), teams: after.teams }),
      auditWrite(ctx, { action: 'member.change', org_id: orgId, details }),
    ];
    return { ...joinPlans(made.plan, recount, { writes }), result: after };
  });
}

function changed(before: Member, { role, teams, name, ...change }: MemberChange): Member {
  const { declined_at, email_confirmed, ...kept } = before;
  const email = change.email === undefined ? before.email : foldEmail(change.email);
  const isVouchedFor = change.email !== undefined && currentActor() === null;
  const isConfirmed = isVouchedFor || (email_confirmed === true && email === before.email);
  const isDeclined = declined_at !== undefined && change.email === undefined;
  return {
    ...kept,
    ...(isDeclined ? { declined_at } : {}),
    ...(isConfirmed ? { email_confirmed: true as const } : {}),
    role: role ?? before.role,
    teams: teams === undefined ? before.teams : [...new Set(teams)],
    name: name ?? before.name,
    email,
  };
}

/** The change of the list for alerts: it names a new admin, or one who had no e-mail, and keeps naming whom it named. */
function alertChange({ admin_emails }: Organization, before: Member, after: Member): RosterChange {
  if (before.role === after.role && before.email === after.email) return {};
  const isNamed = admin_emails.some((email) => email === before.email);
  const isNew = before.role !== after.role || before.email === null;
  const isWanted = isNew ? after.role === 'admin' : isNamed;
  return { without: before.email, with: isWanted && after.email !== null ? [after.email] : [] };
}

/** The change without the old and the new e-mail and name: the log outlives the member. */
function auditable({ email, name, ...change }: MemberChange): Record<string, unknown> {
  const fields = [...(email === undefined ? [] : ['email']), ...(name === undefined ? [] : ['name'])];
  return { ...given(change), ...(fields.length > 0 ? { changed: fields } : {}) };
}
