import type { ClientSession } from 'mongoose';
import type { Context } from '../context.ts';
import { WEBHOOK_TIMEOUT_MS } from '../contract.ts';
import { inTransaction, raw } from '../mongo.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { endTask, readTask, setTask } from './mark-failing.ts';
import { finished, holdsDeliveries, type QueuedDelivery } from './model.ts';
import { nextRoundOf } from './plan-deliveries.ts';
import { replaceQueued } from './record-outcome.ts';

/** At most 100 a second, and never two at once: they arrive in order. */
const PACE_MS = 10;
const READ_AT_ONCE = 200;
/** Until then the drain itself is at it; a delivery whose worker died is due again after it. */
const LEASE_MS = WEBHOOK_TIMEOUT_MS + 5_000;

type Status = 'delivers' | 'holds' | 'gone';

/**
 * Sends what a webhook held, oldest event first, each from attempt 1; a failure goes on by the usual schedule. Of one that
 * is deleted it cancels all that is not finished.
 */
export async function drainDeliveries(ctx: Context, webhookId: string): Promise<void> {
  for (;;) {
    const status = await statusOf(ctx, webhookId);
    const mayBeMore = await drainSome(ctx, webhookId, status);
    if (!mayBeMore && (await endDrain(ctx, webhookId, status))) return;
  }
}

async function statusOf(ctx: Context, webhookId: string, transaction?: ClientSession): Promise<Status> {
  const webhook = await raw(ctx.db.webhooks).findOne(
    { _id: webhookId },
    { projection: { status: 1, enabled: 1 }, ...(transaction ? { session: transaction } : {}) },
  );
  if (!webhook) return 'gone';
  return holdsDeliveries(webhook) ? 'holds' : 'delivers';
}

/** Whether there may be more. What a failing or paused one holds waits until it is enabled again. */
async function drainSome(ctx: Context, webhookId: string, status: Status): Promise<boolean> {
  if (status === 'delivers') return sendSome(ctx, webhookId);
  if (status === 'gone') return cancelSome(ctx, webhookId);
  return false;
}

async function sendSome(ctx: Context, webhookId: string): Promise<boolean> {
  const held = await raw(ctx.db.queuedDeliveries)
    .find({ webhook_id: webhookId, state: 'held' })
    .project<Pick<QueuedDelivery, '_id' | 'round'>>({ round: 1 })
    .sort({ at: 1 })
    .limit(READ_AT_ONCE)
    .toArray();
  for (const row of held) {
    const startedMs = performance.now();
    if ((await statusOf(ctx, webhookId)) !== 'delivers') return true;
    if (await release(ctx, row)) await attemptInOrder(ctx, row._id, webhookId);
    await pause(PACE_MS - (performance.now() - startedMs));
  }
  return held.length > 0;
}

async function cancelSome(ctx: Context, webhookId: string): Promise<boolean> {
  return inTransaction(ctx.db, async (transaction) => {
    const rows = await raw(ctx.db.queuedDeliveries)
      .find({ webhook_id: webhookId }, { session: transaction })
      .limit(READ_AT_ONCE)
      .toArray();
    if (rows.length === 0) return false;
    const cancelled = rows.map((row) => finished(row, 'cancelled'));
    await replaceQueued(ctx, cancelled, transaction);
    return true;
  });
}

/**
 * False when the webhook is not as it was `seen`: whoever changed it left the task anew. Nothing was left of what it
 * held; that is looked at once more when no transaction can be left that saw it failing.
 */
async function endDrain(ctx: Context, webhookId: string, seen: Status): Promise<boolean> {
  return inTransaction(ctx.db, async (transaction) => {
    const task = await readTask(ctx, 'drain-webhook', webhookId, transaction);
    if (!task) return true;
    if ((await statusOf(ctx, webhookId, transaction)) !== seen) return false;
    const untilMs = task.until.getTime();
    if (seen === 'holds' || ctx.clock.now() >= untilMs)
      await endTask(ctx, 'drain-webhook', webhookId, transaction);
    else
      await setTask(
        ctx,
        { kind: 'drain-webhook', webhook_id: webhookId, dueMs: untilMs, untilMs },
        transaction,
      );
    return true;
  });
}

/** False when somebody else has moved it meanwhile. */
async function release(ctx: Context, held: Pick<QueuedDelivery, '_id' | 'round'>): Promise<boolean> {
  return inTransaction(ctx.db, async (transaction) => {
    const row = await raw(ctx.db.queuedDeliveries).findOne({ _id: held._id }, { session: transaction });
    if (row?.state !== 'held' || row.round !== held.round) return false;
    const at = ctx.clock.now() + LEASE_MS;
    const released: QueuedDelivery = { ...row, state: 'pending', at, ...nextRoundOf(row) };
    await raw(ctx.db.queuedDeliveries).deleteOne({ _id: row._id }, { session: transaction });
    await raw(ctx.db.queuedDeliveries).insertOne(released, { session: transaction });
    return true;
  });
}

async function attemptInOrder(ctx: Context, deliveryId: string, webhookId: string): Promise<void> {
  for (;;) {
    const { kind } = await attemptDelivery(ctx, { deliveryId, webhookId, isDueNow: true });
    if (kind !== 'left') return;
    await pause(100);
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
