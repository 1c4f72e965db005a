import type { ClientSession } from 'mongoose';
import { z } from 'zod';
import { auditWrite, currentActor } from '../core/accounts/audit/record-audit.ts';
import { answerCreation, beginCreation } from '../core/accounts/idempotency/creation.ts';
import { confirmActor } from '../core/accounts/keys/confirm-actor.ts';
import { withEndOfMails } from '../core/accounts/organizations/ended-mails.ts';
import { type Member, memberRows } from '../core/accounts/organizations/model.ts';
import { readOrganization } from '../core/accounts/organizations/read-organization.ts';
import { memberReplacement, rosterWrite } from '../core/accounts/organizations/roster.ts';
import { teamNames } from '../core/accounts/organizations/view.ts';
import { planTeamChange } from '../core/limits/budgets/count/recount.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { dashboardUrl } from '../platform/basics/config.ts';
import { ROLES } from '../platform/basics/contract.ts';
import { foldEmail, isEmail } from '../platform/basics/email.ts';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { setDue } from '../platform/due/plan-due.ts';
import type { MailAttempt } from '../platform/mail/send-mail.ts';
import { insertRow, type Write } from '../platform/mongo/writes.ts';
import { takeInvitationPermits } from './invitation-permits.ts';
import { mailInvitationJob } from './jobs.ts';
import { newMember, refuseTooMany } from './members.ts';

const ADDRESSES = 200;

export const INVITED = ['invited', 'renewed', 'member', 'invalid'] as const;

export const invitationsInput = z.strictObject({
  emails: z
    .array(z.string())
    .min(1)
    .max(ADDRESSES)
    .describe('Addresses; a wrong one is answered as `invalid` and spoils no other'),
  role: z.enum(ROLES).describe('The role of new members; people who were invited before keep theirs'),
  teams: teamNames.optional(),
  mail: z.boolean().describe('True when each invited person gets a mail'),
});

export const invitationsView = z.strictObject({
  results: z
    .array(
      z.strictObject({
        email: z.string(),
        status: z
          .enum(INVITED)
          .describe(
            '`renewed`: invited before and not joined yet. `member`: has joined. `invalid`: no address',
          ),
        user_id: z.string().optional(),
        mailed: z.boolean().describe('True when a mail is on its way'),
      }),
    )
    .describe('One per address, in their order'),
  link: z.string().describe('Where invited people sign in: the same for all, and no secret'),
});
type Invitations = z.output<typeof invitationsView>;

/** The link that is given to invited people: the verified address with which they sign in decides. */
export function joinLink(ctx: Context): string {
  return dashboardUrl(ctx.config, 'join');
}

/**
 * Invites people by their addresses, all in one transaction: new members are added, and invitations of those who have not
 * joined are renewed. Mails are queued within the limits. Throws `conflict` when there would be too many members or teams,
 * and as `confirmActor`.
 */
export async function inviteMembers(
  ctx: Context,
  orgId: string,
  input: z.output<typeof invitationsInput>,
): Promise<Invitations> {
  return commitPlan(
    ctx,
    async (transaction) => {
      await beginCreation(ctx, 'inv', transaction);
      const actor = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
      const { decided, writes: ended } = await decide(ctx, orgId, input, transaction);
      const added = decided.filter(({ status }) => status === 'invited');
      await refuseTooMany(ctx, orgId, transaction, added.length);
      const organization = await readOrganization(ctx, orgId, transaction);
      const admins = input.role === 'admin' ? added.map(({ email }) => email) : [];
      const teams = added.length > 0 ? (input.teams ?? []) : [];
      const recounts = await planTeams(ctx, orgId, added, transaction);
      const mails = await planMails(ctx, orgId, input.mail ? decided : [], transaction);
      const roster = rosterWrite(organization, { with: admins, teams });
      const writes = [...actor.writes, ...ended, ...decided.flatMap((each) => writesOf(ctx, each)), roster];
      const result = viewInvitations(ctx, input.emails, decided, mails.permitted);
      await answerCreation(ctx, 'inv', JSON.stringify(result), transaction);
      return { ...joinPlans({ writes }, recounts, mails), result };
    },
    { onDuplicateKey: 'retry' },
  );
}

/** An address and what becomes of it. */
interface Decided {
  email: string;
  status: Exclude<(typeof INVITED)[number], 'invalid'>;
  member: Member;
}

async function decide(
  ctx: Context,
  orgId: string,
  { emails, role, teams }: z.output<typeof invitationsInput>,
  transaction: ClientSession,
): Promise<{ decided: Decided[]; writes: Write[] }> {
  const addresses = [...new Set(emails.filter(isEmail).map(foldEmail))];
  const named = await memberRows(ctx)
    .find({ email: { $in: addresses } }, { session: transaction })
    .toArray();
  const present = new Map(
    named
      .filter(({ org_id, removed_at }) => org_id === orgId && removed_at === null)
      .map((member) => [member.email, member]),
  );
  const added = addresses
    .filter((email) => !present.has(email))
    .map((email) => newMember(ctx, { org_id: orgId, email, role, teams }));
  const { members, writes } = await withEndOfMails(ctx, added, transaction);
  const strangers = new Map(members.map((member) => [member.email, member]));
  const decided = addresses.flatMap((email): Decided[] => {
    const known = present.get(email);
    if (known) return [{ email, status: known.idp ? 'member' : 'renewed', member: known }];
    const member = strangers.get(email);
    return member ? [{ email, status: 'invited', member }] : [];
  });
  return { decided, writes };
}

function writesOf(ctx: Context, { status, member }: Decided) {
  const { org_id, user_id, role } = member;
  if (status === 'member') return [];
  if (status === 'invited')
    return [
      insertRow(memberRows, member),
      auditWrite(ctx, { action: 'member.add', org_id, details: { user_id, role } }),
    ];
  const { declined_at: _, ...kept } = member;
  const invitedBy = currentActor();
  const renewed = invitedBy === null ? kept : { ...kept, invited_by: invitedBy };
  return [
    ...memberReplacement(renewed),
    auditWrite(ctx, { action: 'member.invite', org_id, details: { user_id } }),
  ];
}

async function planTeams(ctx: Context, orgId: string, added: readonly Decided[], transaction: ClientSession) {
  // Nothing can have been reported for an account's id that is new, so the counters of the teams stay as they are.
  const [first] = added;
  if (!first || first.member.teams.length === 0) return NO_PLAN;
  const joined = { orgId, userId: first.member.user_id, before: [], after: first.member.teams };
  return planTeamChange(ctx, joined, transaction);
}

async function planMails(
  ctx: Context,
  orgId: string,
  decided: readonly Decided[],
  transaction: ClientSession,
): Promise<Plan & { permitted: ReadonlySet<string> }> {
  const readers = decided.filter(({ status, member }) => status !== 'member' && !member.mails_ended_at);
  const addresses = ctx.config.smtpUrl ? readers.map(({ email }) => email) : [];
  const { permitted, writes } = await takeInvitationPermits(ctx, orgId, addresses, transaction);
  const nowMs = ctx.clock.now();
  const details = { scheduled_at: dateAt(nowMs), attempt: 1 };
  const mails = readers
    .filter(({ email }) => permitted.has(email))
    .map(({ member }) =>
      setDue<MailAttempt>(mailInvitationJob, { key: member._id, orgId, dueMs: nowMs, details }),
    );
  return { ...joinPlans({ writes }, ...mails), permitted };
}

function viewInvitations(
  ctx: Context,
  emails: readonly string[],
  decided: readonly Decided[],
  permitted: ReadonlySet<string>,
): Invitations {
  const byEmail = new Map(decided.map((each) => [each.email, each]));
  const results = emails.map((given) => {
    const email = foldEmail(given);
    const found = byEmail.get(email);
    if (!found) return { email: given, status: 'invalid' as const, mailed: false };
    const { status, member } = found;
    return { email, status, user_id: member.user_id, mailed: permitted.has(email) };
  });
  return { results, link: joinLink(ctx) };
}
