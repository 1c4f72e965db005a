import type { Context } from '../context.ts';
import { inTransaction, raw } from '../mongo.ts';
import { endTask } from './mark-failing.ts';
import { holdsDeliveries, type QueuedDelivery } from './model.ts';
import { replaceQueued } from './record-outcome.ts';

const HELD_AT_ONCE = 200;

/** Holds everything that a failing or paused webhook has not finished; what comes due meanwhile is held by its own attempt. */
export async function holdDeliveries(ctx: Context, webhookId: string): Promise<void> {
  while (await holdSome(ctx, webhookId));
  await endTask(ctx, 'hold-webhook', webhookId);
}

/** Whether there may be more. */
async function holdSome(ctx: Context, webhookId: string): Promise<boolean> {
  return inTransaction(ctx.db, async (transaction) => {
    const webhook = await raw(ctx.db.webhooks).findOne({ _id: webhookId }, { session: transaction });
    if (!webhook || !holdsDeliveries(webhook)) return false;
    const rows = await raw(ctx.db.queuedDeliveries)
      .find({ webhook_id: webhookId, state: 'pending' }, { session: transaction })
      .limit(HELD_AT_ONCE)
      .toArray();
    if (rows.length === 0) return false;
    const held = rows.map((row): QueuedDelivery => ({ ...row, state: 'held', at: row.position }));
    await replaceQueued(ctx, held, transaction);
    return rows.length === HELD_AT_ONCE;
  });
}
