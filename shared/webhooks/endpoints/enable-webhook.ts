import { recordAudit } from '../../audit/record-audit.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { type Webhook, webhookRows } from './model.ts';
import { setDrain } from './tasks.ts';

/**
 * Lets a failing webhook deliver again; what was held drains in order. One that is active stays as it is. `orgId` null:
 * an operator's, of any organization. Throws `not_found`.
 */
export async function enableWebhook(ctx: Context, orgId: string | null, webhookId: string): Promise<Webhook> {
  return inTransaction(ctx.db, async (transaction) => {
    const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, { session: transaction });
    if (!webhook || (orgId !== null && webhook.org_id !== orgId))
      throw new DomainError('not_found', 'There is no such webhook.');
    if (webhook.status === 'active') return webhook;
    const change = { status: 'active', failing_since: null } as const;
    await webhookRows(ctx).updateOne({ _id: webhookId }, { $set: change }, { session: transaction });
    await setDrain(ctx, webhookId, transaction);
    await recordAudit(
      ctx,
      { action: 'webhook.enable', org_id: webhook.org_id, details: { webhook_id: webhookId } },
      transaction,
    );
    return { ...webhook, ...change };
  });
}
