import type { ClientSession } from 'mongoose';
import { dateAt } from '../../platform/basics/clock.ts';
import type { Context } from '../../platform/context/context.ts';
import { webhookRows } from '../endpoints/model.ts';
import { setTask } from '../endpoints/tasks.ts';

/**
 * A delivery has failed its fifth attempt: the webhook turns failing, once (two transactions that do it conflict, and
 * the second finds it done). Its other deliveries are to be held and its admins told, which are tasks of their own.
 */
export async function markFailing(
  ctx: Context,
  webhookId: string,
  transaction: ClientSession,
): Promise<void> {
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, { session: transaction });
  if (webhook?.status !== 'active') return;
  const nowMs = ctx.clock.now();
  await webhookRows(ctx).updateOne(
    { _id: webhookId },
    { $set: { status: 'failing', failing_since: dateAt(nowMs) } },
    { session: transaction },
  );
  await setTask(
    ctx,
    { kind: 'hold-webhook', webhook_id: webhookId, dueMs: nowMs, untilMs: nowMs },
    transaction,
  );
  await setTask(
    ctx,
    { kind: 'alert-admins', webhook_id: webhookId, dueMs: nowMs, untilMs: nowMs },
    transaction,
  );
}
