import type { ClientSession } from 'mongoose';
import { nameInviter } from '../core/accounts/identity/invitations.ts';
import { type Member, memberRows } from '../core/accounts/organizations/model.ts';
import { readOrganization } from '../core/accounts/organizations/read-organization.ts';
import type { DueMail, DueMailKind, Wanted } from '../core/events/mails/send-due-mail.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../core/events/webhooks/endpoints/unsubscribe.ts';
import { oneLine, unlinked } from '../core/events/webhooks/messages/text.ts';
import { hashedKey } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import type { Mail } from '../platform/mail/send-mail.ts';
import { joinLink } from './invite-members.ts';
import { mailInvitationJob } from './jobs.ts';

/** Characters of a name. */
const NAME = 80;

interface Content {
  member: Member & { email: string };
  scheduledAt: Date;
}

/**
 * The mail to an invited person. It is the only one that goes to an address that nobody has confirmed, so it is short, and
 * rare (`invitation-permits.ts`).
 */
export const invitationMail: DueMailKind<Content> = { job: mailInvitationJob, decide, write };

async function decide(
  ctx: Context,
  { key, scheduled_at, attempt }: DueMail,
  transaction: ClientSession,
): Promise<Wanted<Content> | null> {
  const member = await memberRows(ctx).findOne({ _id: key }, { session: transaction });
  if (!member || !isInvited(member)) return null;
  const to = { orgId: member.org_id, address: member.email };
  return { content: { member, scheduledAt: scheduled_at }, to, scheduled_at, attempt };
}

function isInvited(member: Member): member is Member & { email: string } {
  const { email, idp, removed_at, declined_at, mails_ended_at } = member;
  return email !== null && !idp && !removed_at && !declined_at && !mails_ended_at;
}

async function write(ctx: Context, { member, scheduledAt }: Content): Promise<Mail> {
  const { name } = await readOrganization(ctx, member.org_id);
  const organization = unlinked(oneLine(name, NAME));
  const inviter = unlinked(oneLine(await nameInviter(ctx, member), NAME));
  const url = unsubscribeUrl(ctx.config, member._id);
  return {
    to: [member.email],
    subject: `${inviter} invites you to “${organization}”`,
    text: [
      `${inviter} invites you to the organization “${organization}”, which follows its usage of AI tools here.`,
      '',
      `Sign in with this address, and say yes or no: ${joinLink(ctx)}`,
      '',
      '-- ',
      `If you do not know the sender, do nothing. No more mails: ${url}`,
      '',
    ].join('\n'),
    messageId: `<invitation.${hashedKey(18, member._id, scheduledAt.getTime())}@usage-governor>`,
    headers: unsubscribeHeaders(url),
  };
}
