import type { ClientSession } from 'mongoose';
import { DomainError, invalid } from '../../../../platform/basics/errors.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { type Webhook, webhookRows } from './model.ts';

/**
 * One webhook. `orgId` null: an operator's look, into any organization. Throws `not_found`: another organization's
 * webhook looks like one that never was.
 */
export async function getWebhook(
  ctx: Context,
  orgId: string | null,
  webhookId: string,
  transaction?: ClientSession,
): Promise<Webhook> {
  const options = transaction ? { session: transaction } : {};
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, options);
  if (!webhook || (orgId !== null && webhook.org_id !== orgId))
    throw new DomainError('not_found', 'There is no such webhook.');
  return webhook;
}

/** The webhook of an organization that has one. Throws `not_found` for none, `invalid_request` where a choice is needed. */
export async function getOnlyWebhook(ctx: Context, orgId: string): Promise<Webhook> {
  const [only, another] = await webhookRows(ctx).find({ org_id: orgId }).limit(2).toArray();
  if (!only) throw new DomainError('not_found', 'There is no webhook yet.');
  if (another)
    throw invalid(
      'There are several webhooks: name one by webhook_id.',
      '/webhook_id',
      'is missing, and there are several webhooks',
    );
  return only;
}
