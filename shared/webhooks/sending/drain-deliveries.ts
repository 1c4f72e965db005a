import type { ClientSession } from 'mongoose';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { finished, type QueuedDelivery, queuedDeliveryRows } from '../deliveries/model.ts';
import { replaceQueued } from '../deliveries/replace-queued.ts';
import { nextRoundOf } from '../deliveries/wake-deliveries.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import { endTask, readTask, setTask } from '../endpoints/tasks.ts';
import { attemptDrained } from './attempt-delivery.ts';

/** At most 100 per second, and never two at once: they arrive in order. */
const PACE_MS = 10;
const READ_AT_ONCE = 200;
const FULL_LIST_PAUSE_MS = 100;

type Status = Webhook['status'] | 'gone';

/**
 * Sends what a webhook held, oldest event first, each from attempt 1; after a failure the usual schedule goes on. If the
 * webhook is deleted, it cancels everything that is not finished.
 */
export async function drainDeliveries(ctx: Context, webhookId: string): Promise<void> {
  for (;;) {
    const status = await statusOf(ctx, webhookId);
    const mayBeMore = await drainSome(ctx, webhookId, status);
    if (!mayBeMore && (await endDrain(ctx, webhookId, status))) return;
  }
}

async function statusOf(ctx: Context, webhookId: string, transaction?: ClientSession): Promise<Status> {
  const webhook = await webhookRows(ctx).findOne(
    { _id: webhookId },
    { projection: { status: 1 }, ...(transaction ? { session: transaction } : {}) },
  );
  return webhook?.status ?? 'gone';
}

/** Whether there may be more. What a failing webhook holds waits until it is enabled again. */
async function drainSome(ctx: Context, webhookId: string, status: Status): Promise<boolean> {
  if (status === 'active') return sendSome(ctx, webhookId);
  if (status === 'gone') return cancelSome(ctx, webhookId);
  return false;
}

async function sendSome(ctx: Context, webhookId: string): Promise<boolean> {
  const held = await queuedDeliveryRows(ctx)
    .find({ webhook_id: webhookId, state: 'held' })
    .project<{ _id: string }>({ _id: 1 })
    .sort({ at: 1 })
    .limit(READ_AT_ONCE)
    .toArray();
  for (const { _id } of held) {
    const startedMs = performance.now();
    if ((await statusOf(ctx, webhookId)) !== 'active') return true;
    if (await beginRound(ctx, _id)) await attemptInOrder(ctx, _id, webhookId);
    await pause(PACE_MS - (performance.now() - startedMs));
  }
  return held.length > 0;
}

async function cancelSome(ctx: Context, webhookId: string): Promise<boolean> {
  return inTransaction(ctx.db, async (transaction) => {
    const rows = await queuedDeliveryRows(ctx)
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
 * False when the webhook is not as it was `seen`: the change left the task anew. Nothing is held any more; that is
 * looked at once more when no transaction can be left that saw the webhook failing.
 */
async function endDrain(ctx: Context, webhookId: string, seen: Status): Promise<boolean> {
  return inTransaction(ctx.db, async (transaction) => {
    const task = await readTask(ctx, 'drain-webhook', webhookId, transaction);
    if (!task) return true;
    if ((await statusOf(ctx, webhookId, transaction)) !== seen) return false;
    const untilMs = task.until.getTime();
    if (seen === 'failing' || ctx.clock.now() >= untilMs)
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

/**
 * Puts a held delivery at attempt 1 of its next round. It stays held, in its place, until the outcome is recorded: a
 * drain that dies is followed by one that begins with the same delivery. False when it is not held any more.
 */
async function beginRound(ctx: Context, _id: string): Promise<boolean> {
  return inTransaction(ctx.db, async (transaction) => {
    const row = await queuedDeliveryRows(ctx).findOne({ _id }, { session: transaction });
    if (row?.state !== 'held') return false;
    const next: QueuedDelivery = { ...row, ...nextRoundOf(row) };
    await replaceQueued(ctx, [next], transaction);
    return true;
  });
}

async function attemptInOrder(ctx: Context, deliveryId: string, webhookId: string): Promise<void> {
  while ((await attemptDrained(ctx, { deliveryId, webhookId })).kind === 'deferred')
    await pause(FULL_LIST_PAUSE_MS);
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
