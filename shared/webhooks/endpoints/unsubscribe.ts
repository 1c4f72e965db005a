import { createHmac } from 'node:crypto';
import { sameHash } from '../../keys/credential.ts';
import { baseUrl, type Config } from '../../platform/basics/config.ts';
import { DomainError, isCode } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { webhookRows } from './model.ts';

/** Where one click ends the mails of a webhook (RFC 8058). */
export function unsubscribeUrl(config: Config, webhookId: string): string {
  return `${baseUrl(config)}/v1/unsubscribe/${webhookId}.${proofOf(config, webhookId)}`;
}

/** Whether a token is of a mail that we have sent. Throws `not_found` when it is not. */
export function readUnsubscribeToken(config: Config, token: string): string {
  const [webhookId = '', proof = ''] = token.split('.');
  if (sameHash(proof, proofOf(config, webhookId))) return webhookId;
  throw new DomainError('not_found', 'This link is not one of ours.');
}

/**
 * Ends the mails of a webhook: it is deleted, and what it had not sent is cancelled. Repeating it changes nothing. Throws
 * `not_found` for a token that is not ours.
 */
export async function unsubscribe(ctx: Context, token: string): Promise<void> {
  const webhookId = readUnsubscribeToken(ctx.config, token);
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId });
  if (webhook?.format !== 'email') return;
  try {
    await deleteWebhook(ctx, webhook.org_id, webhookId);
  } catch (error) {
    // A second click at the same moment was faster.
    if (!isCode(error, 'not_found')) throw error;
  }
}

function proofOf(config: Config, webhookId: string): string {
  return createHmac('sha256', config.cursorSecret).update(`unsubscribe ${webhookId}`).digest('base64url');
}
