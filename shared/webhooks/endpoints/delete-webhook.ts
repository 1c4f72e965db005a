import { recordAudit } from '../../audit/record-audit.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { getWebhook } from './get-webhook.ts';
import { webhookRows } from './model.ts';
import { setDrain } from './tasks.ts';

/**
 * Deletes a webhook. A due row of the same transaction cancels what the webhook had not finished. What is under way at
 * this moment, or was committed in the second before (ADR 0073), may still arrive. Throws `not_found`.
 */
export async function deleteWebhook(ctx: Context, orgId: string, webhookId: string): Promise<void> {
  await getWebhook(ctx, orgId, webhookId);
  await inTransaction(ctx.db, async (transaction) => {
    await webhookRows(ctx).deleteOne({ _id: webhookId }, { session: transaction });
    await setDrain(ctx, webhookId, transaction);
    await recordAudit(
      ctx,
      { action: 'webhook.delete', org_id: orgId, details: { webhook_id: webhookId } },
      transaction,
    );
  });
}
