import type { ClientSession } from 'mongoose';
import type { Config } from '../../../../platform/basics/config.ts';
import { foldEmail, isEmail } from '../../../../platform/basics/email.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { type Member, memberRows } from '../../../accounts/organizations/model.ts';
import type { MailTo } from './mail-permits.ts';
import type { Webhook } from './model.ts';
import { targetOf } from './target.ts';

/** The address of a `mailto:` URL as members have it; null when it is not one address and nothing else. */
function addressOf(url: string): string | null {
  const encoded = /^mailto:([^?]+)$/i.exec(url)?.[1];
  const address = encoded === undefined ? null : decode(encoded);
  return address !== null && isEmail(address) ? foldEmail(address) : null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The address to which a webhook of the format `email` writes. Throws when its URL cannot be decrypted. */
export function mailAddressOf(config: Config, webhook: Webhook): string {
  return addressOf(targetOf(config, webhook).href) ?? '';
}

/** Returns the member to whom a `mailto:` URL writes, or the fault of the URL. Mails go to members of the organization only. */
export async function findMailTarget(
  ctx: Context,
  orgId: string,
  url: string,
  transaction: ClientSession,
): Promise<Member | string> {
  const address = addressOf(url);
  if (address === null) return 'must be mailto: and one address';
  if (!ctx.config.smtpUrl) return 'cannot be written to: this service has no mail server (SMTP_URL)';
  const reader = await findReader(ctx, orgId, address, transaction);
  return (
    reader ?? 'must be the address of a member who has signed in with it and takes mails of this organization'
  );
}

/** The member to whom mail of the organization may go at this address, or null; see `takesMail`. */
export async function findReader(
  ctx: Context,
  orgId: string,
  address: string,
  transaction?: ClientSession,
): Promise<Member | null> {
  const options = transaction ? { session: transaction } : {};
  const [member] = await memberRows(ctx).find({ email: address, org_id: orgId }, options).toArray();
  return member && takesMail(member) ? member : null;
}

/** True when a member is present, has confirmed the e-mail, and has not ended the mails of the organization. */
export function takesMail(member: Member): boolean {
  const { email_confirmed, removed_at, declined_at, mails_ended_at } = member;
  return email_confirmed === true && !removed_at && !declined_at && !mails_ended_at;
}

/** The address to which mail of the organization may go to a member; null when none may. */
export function mailAddressFor(member: Member): MailTo | null {
  if (member.email === null || !takesMail(member)) return null;
  return { orgId: member.org_id, address: member.email };
}
