import { performance } from 'node:perf_hooks';
import type { Context } from '../../platform/context/context.ts';
import { type Mail, sendMail } from '../../platform/mail/send-mail.ts';
import type { AttemptError } from '../deliveries/model.ts';
import { addressOf, isPresentMember } from '../endpoints/mail-target.ts';
import type { Webhook } from '../endpoints/model.ts';
import { targetOf } from '../endpoints/target.ts';
import { unsubscribeUrl } from '../endpoints/unsubscribe.ts';
import { render } from '../messages/render.ts';
import type { Answered } from './post.ts';

/** What a mail server says when it has taken a mail (RFC 5321 section 4.2.3). */
const TAKEN = 250;

/** To whom a webhook of the format `email` writes. Throws when its URL cannot be decrypted. */
export function mailAddressOf(ctx: Context, webhook: Webhook): string {
  return addressOf(targetOf(ctx.config, webhook).href) ?? '';
}

/**
 * Sends one mail of a webhook, with one click to unsubscribe (RFC 8058). Every attempt has the same Message-ID. Nothing is
 * sent to who is not a member any more. Throws only when the webhook's URL cannot be decrypted.
 */
export async function attemptMail(
  ctx: Context,
  webhook: Webhook,
  { eventId, envelope }: { eventId: string; envelope: string },
): Promise<Answered> {
  const startedMs = performance.now();
  const address = mailAddressOf(ctx, webhook);
  const ended = (status: number | null, error: AttemptError | null, answer: string | null): Answered => {
    return { status, error, answer, latencyMs: Math.round((performance.now() - startedMs) * 100) / 100 };
  };
  if (!(await isPresentMember(ctx, webhook.org_id, address))) return ended(null, 'blocked', null);
  try {
    const isSent = await sendMail(ctx, mailOf(ctx, webhook, { address, eventId, envelope }));
    return isSent ? ended(TAKEN, null, null) : ended(null, 'connect', 'There is no mail server (SMTP_URL).');
  } catch (cause) {
    const { status, error, answer } = refusalOf(cause);
    return ended(status, error, answer);
  }
}

function mailOf(
  ctx: Context,
  webhook: Webhook,
  { address, eventId, envelope }: { address: string; eventId: string; envelope: string },
): Mail {
  const { headers, body } = render('email', envelope);
  const url = unsubscribeUrl(ctx.config, webhook._id);
  return {
    to: [address],
    subject: headers.subject ?? '',
    text: `${body}\n\n-- \nYou get this from a webhook of your organization. Unsubscribe: ${url}\n`,
    messageId: `<${eventId}.${webhook._id}@usage-governor>`,
    headers: {
      'List-Unsubscribe': `<${url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
  };
}

/** What a failed mail comes to. The code of an answer is the status; without one the connection failed. */
function refusalOf(cause: unknown): Pick<Answered, 'status' | 'error' | 'answer'> {
  const { responseCode, response, code } = cause as {
    responseCode?: number;
    response?: string;
    code?: string;
  };
  if (responseCode !== undefined) return { status: responseCode, error: 'mail', answer: response ?? null };
  const errors: Record<string, AttemptError> = { ETIMEDOUT: 'timeout', EDNS: 'dns', ETLS: 'tls' };
  return { status: null, error: errors[code ?? ''] ?? 'connect', answer: null };
}
