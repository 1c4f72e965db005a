import type { ClientSession } from 'mongoose';
import { currentActor } from '../audit/acting-as.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { wakeEvaluation } from '../budgets/plan-evaluation.ts';
import { recountTeams } from '../budgets/recount-teams.ts';
import { confirmActor } from '../keys/confirm-actor.ts';
import { addTeams } from '../organizations/add-teams.ts';
import { type Member, memberRows } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import {
  noMember,
  refuseLastAdmin,
  refuseTakenEmail,
  replaceMember,
  touchRoster,
} from '../organizations/roster.ts';
import type { Role } from '../platform/basics/contract.ts';
import { foldEmail } from '../platform/basics/email.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { NOTHING_MADE, planMade } from './made-by.ts';

export interface MemberChange {
  role?: Role | undefined;
  /** Exactly these. */
  teams?: string[] | undefined;
  name?: string | undefined;
  /** Also the same one again: it renews an invitation that was turned down. */
  email?: string | undefined;
}

/**
 * Changes a member who is there. Throws `not_found`, `conflict` for the last admin's role and another member's e-mail, and
 * `revoke_made_needed` for an admin who made keys or webhooks and becomes a member (`planMade`).
 */
export async function changeMember(
  ctx: Context,
  orgId: string,
  userId: string,
  change: MemberChange,
  { revokeMade }: { revokeMade?: boolean | undefined } = {},
): Promise<Member> {
  const member = await commitPlan(ctx, async (transaction) => {
    await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const before = await memberRows(ctx).findOne(
      { org_id: orgId, user_id: userId },
      { session: transaction },
    );
    if (!before || before.removed_at !== null) throw noMember();
    const after = changed(before, change);
    const isDemoted = before.role === 'admin' && after.role !== 'admin';
    if (isDemoted) await refuseLastAdmin(ctx, before, transaction);
    const made = isDemoted ? await planMade(ctx, before, revokeMade, transaction) : NOTHING_MADE;
    if (after.email !== before.email) await refuseTakenEmail(ctx, after, transaction);
    await replaceMember(ctx, after, transaction);
    await followRole(ctx, before, after, transaction);
    if (change.teams !== undefined) await followTeams(ctx, before, after, transaction);
    // Neither the old nor the new e-mail: the log outlives the member.
    const { email, name, ...told } = change;
    const fields = [...(email === undefined ? [] : ['email']), ...(name === undefined ? [] : ['name'])];
    const unnamed = fields.length > 0 ? { changed: fields } : {};
    const details = { user_id: userId, ...given(told), ...unnamed, ...made.details };
    await recordAudit(ctx, { action: 'member.change', org_id: orgId, details }, transaction);
    return { ...made.plan, result: after };
  });
  if (change.teams !== undefined) wakeEvaluation(ctx, orgId);
  return member;
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

/** Alerts go to the admins, and to other members whom the list names, by the e-mail that they have. */
async function followRole(
  ctx: Context,
  before: Member,
  after: Member,
  transaction: ClientSession,
): Promise<void> {
  if (before.role === after.role && before.email === after.email) return;
  const { admin_emails } = await readOrganization(ctx, before.org_id, transaction);
  const isNamed = before.role !== 'admin' && admin_emails.some((email) => email === before.email);
  const listed = after.role === 'admin' || isNamed ? after.email : null;
  await touchRoster(ctx, before.org_id, { without: before.email, with: listed }, transaction);
}

/** Teams that are named exist from then on, and their budgets count this member from now on. */
async function followTeams(
  ctx: Context,
  before: Member,
  after: Member,
  transaction: ClientSession,
): Promise<void> {
  await addTeams(ctx, after.org_id, after.teams, transaction);
  await recountTeams(ctx, after.org_id, [...new Set([...before.teams, ...after.teams])], transaction);
}

function given(change: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
