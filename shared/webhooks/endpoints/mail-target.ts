import { memberRows } from '../../organizations/model.ts';
import type { Config } from '../../platform/basics/config.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Webhook } from './model.ts';
import { targetOf } from './target.ts';

/** One address and nothing else: no further recipients, and no headers of a mail. */
const ADDRESS = /^mailto:([^\s?&,;<>"()]+@[^\s?&,;<>"()@]+)$/i;

/** The address of a `mailto:` URL in lower case, as members have it; null when it is none. */
function addressOf(url: string): string | null {
  const encoded = ADDRESS.exec(url)?.[1];
  if (encoded === undefined) return null;
  const address = decode(encoded);
  return address !== null && ADDRESS.test(`mailto:${address}`) ? address.toLowerCase() : null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** To whom a webhook of the format `email` writes. Throws when its URL cannot be decrypted. */
export function mailAddressOf(config: Config, webhook: Webhook): string {
  return addressOf(targetOf(config, webhook).href) ?? '';
}

/** What is wrong with a `mailto:` URL, or null. Mails go to members of the organization only. */
export async function refuseMailTarget(ctx: Context, orgId: string, url: string): Promise<string | null> {
  const address = addressOf(url);
  if (address === null) return 'must be mailto: and one address';
  if (!ctx.config.smtpUrl) return 'cannot be written to: this service has no mail server (SMTP_URL)';
  return (await isPresentMember(ctx, orgId, address)) ? null : 'must be the address of a member';
}

/** Whether an address is that of a member who was not removed and has not declined. */
export async function isPresentMember(ctx: Context, orgId: string, address: string): Promise<boolean> {
  const member = await memberRows(ctx).findOne({ org_id: orgId, email: address, removed_at: null });
  return member !== null && member.declined_at === undefined;
}
