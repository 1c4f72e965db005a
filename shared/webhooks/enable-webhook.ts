import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { inTransaction, raw } from '../mongo.ts';
import { setDrain } from './mark-failing.ts';
import { holdsDeliveries, type Webhook } from './model.ts';

/**
 * Lets a failing or paused webhook deliver again; what was held drains in order. One that delivers stays as it is. `orgId` null:
 * an operator's, of any organization. Throws `not_found`.
 */
export async function enableWebhook(ctx: Context, orgId: string | null, webhookId: string): Promise<Webhook> {
  return inTransaction(ctx.db, async (transaction) => {
    const webhook = await raw(ctx.db.webhooks).findOne({ _id: webhookId }, { session: transaction });
    if (!webhook || (orgId !== null && webhook.org_id !== orgId))
      throw new DomainError('not_found', 'There is no such webhook.');
    if (!holdsDeliveries(webhook)) return webhook;
    const change = {
      status: 'active',
      enabled: true,
      failing_since: null,
      revision: (webhook.revision ?? 0) + 1,
    } as const;
    await raw(ctx.db.webhooks).updateOne({ _id: webhookId }, { $set: change }, { session: transaction });
    await setDrain(ctx, webhookId, transaction);
    await recordAudit(
      ctx,
      { action: 'webhook.enable', org_id: webhook.org_id, details: { webhook_id: webhookId } },
      transaction,
    );
    return { ...webhook, ...change };
  });
}
