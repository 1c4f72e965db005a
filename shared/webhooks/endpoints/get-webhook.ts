import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { type Webhook, webhookRows } from './model.ts';

/** One webhook. Throws `not_found`: another organization's webhook looks like one that never was. */
export async function getWebhook(ctx: Context, orgId: string, webhookId: string): Promise<Webhook> {
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId });
  if (webhook?.org_id !== orgId) throw new DomainError('not_found', 'There is no such webhook.');
  return webhook;
}
