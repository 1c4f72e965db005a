import type { Context } from '../../../../platform/context/context.ts';
import { type Mail, sendMail } from '../../../../platform/mail/send-mail.ts';
import { memberRows, organizationRows } from '../../../accounts/organizations/model.ts';
import { returnMailPermit, takeMailPermit } from './mail-permits.ts';
import { takesMail } from './mail-target.ts';

/**
 * Writes to the addresses for alerts of an organization: one mail to all. Returns false as `sent` without a mail server, and without
 * an address to which mail may go. Throws when the mail server fails.
 */
export async function mailAdmins(
  ctx: Context,
  orgId: string,
  mail: Omit<Mail, 'to'>,
): Promise<{ sent: boolean; admins: number }> {
  const to = await takeReaders(ctx, orgId);
  try {
    return { sent: await sendMail(ctx, { ...mail, to }), admins: to.length };
  } catch (error) {
    for (const address of to)
      await returnMailPermit(ctx, { orgId, address }).catch((failed: unknown) =>
        ctx.log.debug({ err: failed }, 'the permit of a mail was not given back'),
      );
    throw error;
  }
}

/** The addresses for alerts to which mail may go, each with a permit. */
async function takeReaders(ctx: Context, orgId: string): Promise<string[]> {
  const organization = await organizationRows(ctx).findOne({ _id: orgId });
  if (!organization || !ctx.config.smtpUrl) return [];
  const { admin_emails, vouched_emails = [] } = organization;
  const named = await memberRows(ctx)
    .find({ email: { $in: admin_emails } })
    .toArray();
  const members = named.filter(({ org_id }) => org_id === orgId);
  const readers: string[] = [];
  for (const address of admin_emails) {
    const member = members.find(({ email }) => email === address);
    const mayWrite = member ? takesMail(member) : vouched_emails.includes(address);
    if (mayWrite && (await takeMailPermit(ctx, { orgId, address })) === null) readers.push(address);
  }
  return readers;
}
