import { performance } from 'node:perf_hooks';
import { WEBHOOK_ANSWER_BYTES } from '../../../../platform/basics/contract.ts';
import { DeadlineError } from '../../../../platform/basics/within.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { type Mail, sendMail } from '../../../../platform/mail/send-mail.ts';
import type { AttemptError } from '../deliveries/model.ts';
import { returnMailPermit } from '../endpoints/mail-permits.ts';
import { findReader, mailAddressOf } from '../endpoints/mail-target.ts';
import type { Webhook } from '../endpoints/model.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../endpoints/unsubscribe.ts';
import { render } from '../messages/render.ts';
import { firstBytes } from '../messages/text.ts';
import type { Answered } from './post.ts';

export interface MessageOfEvent {
  eventId: string;
  envelope: string;
  /** `Words` as JSON. */
  words?: string | undefined;
}

/** The code of a mail server that has taken a mail (RFC 5321 section 4.2.3). */
const TAKEN = 250;

/**
 * Sends one mail of a webhook, with one click to unsubscribe (RFC 8058). Every attempt has the same Message-ID. Nothing is
 * sent to a person who has left or takes no mails. The permit of a mail that was not sent is given back. Throws only when the webhook's URL
 * cannot be decrypted.
 */
export async function attemptMail(
  ctx: Context,
  webhook: Webhook,
  message: MessageOfEvent,
): Promise<Answered> {
  const startedMs = performance.now();
  const address = mailAddressOf(ctx.config, webhook);
  const answered = await send(ctx, webhook, { ...message, address });
  const latencyMs = Math.round((performance.now() - startedMs) * 100) / 100;
  if (answered.error !== null)
    await returnMailPermit(ctx, { orgId: webhook.org_id, address }).catch((error: unknown) =>
      ctx.log.debug({ err: error, webhook_id: webhook._id }, 'the permit of a mail was not given back'),
    );
  return { ...answered, latencyMs };
}

async function send(
  ctx: Context,
  webhook: Webhook,
  { address, ...message }: MessageOfEvent & { address: string },
): Promise<Omit<Answered, 'latencyMs'>> {
  const reader = await findReader(ctx, webhook.org_id, address);
  if (!reader) return { status: null, error: 'blocked', answer: null };
  try {
    if (await sendMail(ctx, mailOf(ctx, webhook, { ...message, address, accountId: reader._id })))
      return { status: TAKEN, error: null, answer: null };
    return { status: null, error: 'connect', answer: 'There is no mail server (SMTP_URL).' };
  } catch (cause) {
    return refusalOf(cause);
  }
}

function mailOf(
  ctx: Context,
  webhook: Webhook,
  message: MessageOfEvent & { address: string; accountId: string },
): Mail {
  const { address, accountId, eventId, envelope, words } = message;
  const { headers, body } = render('email', envelope, words);
  const url = unsubscribeUrl(ctx.config, accountId);
  return {
    to: [address],
    subject: headers.subject ?? '',
    text: `${body}\n\n-- \nYou get this from a webhook of your organization. Unsubscribe: ${url}\n`,
    messageId: `<${eventId}.${webhook._id}@usage-governor>`,
    headers: unsubscribeHeaders(url),
  };
}

/** Returns the result of a failed mail. The code of an answer is the status; without one the connection failed. */
function refusalOf(cause: unknown): Omit<Answered, 'latencyMs'> {
  if (cause instanceof DeadlineError) return { status: null, error: 'timeout', answer: null };
  const { responseCode, response, code } = cause as {
    responseCode?: number;
    response?: string;
    code?: string;
  };
  if (responseCode !== undefined) {
    const answer = response === undefined ? null : firstBytes(response, WEBHOOK_ANSWER_BYTES);
    return { status: responseCode, error: 'mail', answer };
  }
  const errors: Record<string, AttemptError> = { ETIMEDOUT: 'timeout', EDNS: 'dns', ETLS: 'tls' };
  return { status: null, error: errors[code ?? ''] ?? 'connect', answer: null };
}
