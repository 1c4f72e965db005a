import { commitPlan, joinPlans, NO_PLAN } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { clearDue, readDue } from '../../platform/due/plan-due.ts';
import { holdWebhookJob } from '../endpoints/jobs.ts';
import { isPaused, webhookRows } from '../endpoints/model.ts';
import { type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { replaceQueued } from './replace-queued.ts';

const HELD_AT_ONCE = 200;

/** Holds everything that a paused webhook has not finished. An attempt that finds its webhook paused asks for this again. */
export async function holdDeliveries(ctx: Context, webhookId: string): Promise<void> {
  while (await holdSome(ctx, webhookId));
}

/** Whether there may be more. The transaction that finds the last ones ends the due row. */
async function holdSome(ctx: Context, webhookId: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const due = await readDue(ctx, holdWebhookJob, webhookId, transaction);
    if (!due) return { ...NO_PLAN, result: false };
    const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, { session: transaction });
    const rows =
      webhook && isPaused(webhook)
        ? await queuedDeliveryRows(ctx)
            .find({ webhook_id: webhookId, state: 'pending' }, { session: transaction })
            .limit(HELD_AT_ONCE)
            .toArray()
        : [];
    const held = replaceQueued(
      rows.map((row): QueuedDelivery => ({ ...row, state: 'held', at: row.position })),
    );
    if (rows.length === HELD_AT_ONCE) return { ...held, result: true };
    const ended = { writes: [clearDue(holdWebhookJob, webhookId)], wakeUps: [] };
    return { ...joinPlans(held, ended), result: false };
  });
}
