import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { webhookRows } from '../endpoints/model.ts';
import { endTask } from '../endpoints/tasks.ts';
import { type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { replaceQueued } from './replace-queued.ts';

const HELD_AT_ONCE = 200;

/** Holds everything that a failing webhook has not finished; what comes due meanwhile is held by its own attempt. */
export async function holdDeliveries(ctx: Context, webhookId: string): Promise<void> {
  while (await holdSome(ctx, webhookId));
  await endTask(ctx, 'hold-webhook', webhookId);
}

/** Whether there may be more. */
async function holdSome(ctx: Context, webhookId: string): Promise<boolean> {
  return inTransaction(ctx.db, async (transaction) => {
    const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, { session: transaction });
    if (webhook?.status !== 'failing') return false;
    const rows = await queuedDeliveryRows(ctx)
      .find({ webhook_id: webhookId, state: 'pending' }, { session: transaction })
      .limit(HELD_AT_ONCE)
      .toArray();
    if (rows.length === 0) return false;
    const held = rows.map((row): QueuedDelivery => ({ ...row, state: 'held', at: row.position }));
    await replaceQueued(ctx, held, transaction);
    return rows.length === HELD_AT_ONCE;
  });
}
