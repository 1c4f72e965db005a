import type { ClientSession } from 'mongoose';
import { commitPlan, NO_PLAN } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import type { DueRow } from '../../platform/due/model.ts';
import { clearDue, readDue, setDue } from '../../platform/due/plan-due.ts';
import { onShard } from '../../platform/mongo/on-shard.ts';
import { finished, type QueuedDelivery, queuedDeliveryRows } from '../deliveries/model.ts';
import { replaceQueued } from '../deliveries/replace-queued.ts';
import { nextRoundOf } from '../deliveries/wake-deliveries.ts';
import { drainWebhookJob } from '../endpoints/jobs.ts';
import { isPaused, type Webhook, webhookRows } from '../endpoints/model.ts';
import type { DrainDetails } from '../endpoints/plan-change.ts';
import { attemptDrained } from './attempt-delivery.ts';

/** At most 100 per second, and never two at once: they arrive in order. */
const PACE_MS = 10;
const READ_AT_ONCE = 200;
const FULL_LIST_PAUSE_MS = 100;

type Status = 'delivering' | 'paused' | 'gone';

/**
 * Sends what a webhook held, oldest event first, each from attempt 1; after a failure the usual schedule goes on. If the
 * webhook is deleted, it cancels everything that is not finished.
 */
export async function drainDeliveries(ctx: Context, webhookId: string): Promise<void> {
  for (;;) {
    const due = await readDue(ctx, drainWebhookJob, webhookId);
    if (!due) return;
    const status = await statusOf(ctx, webhookId);
    const mayBeMore = await drainSome(ctx, webhookId, status);
    if (!mayBeMore && (await endDrain(ctx, webhookId, status))) return;
  }
}

async function statusOf(ctx: Context, webhookId: string, transaction?: ClientSession): Promise<Status> {
  const webhook = await webhookRows(ctx).findOne<Pick<Webhook, 'enabled' | 'status'>>(
    { _id: webhookId },
    { projection: { enabled: 1, status: 1 }, ...(transaction ? { session: transaction } : {}) },
  );
  if (!webhook) return 'gone';
  return isPaused(webhook) ? 'paused' : 'delivering';
}

/** Whether there may be more. What a paused webhook holds waits until it is enabled. */
async function drainSome(ctx: Context, webhookId: string, status: Status): Promise<boolean> {
  if (status === 'delivering') return sendSome(ctx, webhookId);
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
    if ((await statusOf(ctx, webhookId)) !== 'delivering') return true;
    if ((await beginRound(ctx, _id, webhookId)) && !(await attemptInOrder(ctx, _id, webhookId))) return false;
    await pause(PACE_MS - (performance.now() - startedMs));
  }
  return held.length > 0;
}

async function cancelSome(ctx: Context, webhookId: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const rows = await queuedDeliveryRows(ctx)
      .find({ webhook_id: webhookId }, { session: transaction })
      .limit(READ_AT_ONCE)
      .toArray();
    const cancelled = rows.map((row) => finished(row, 'cancelled', ctx.clock.now()));
    return { ...replaceQueued(cancelled), result: rows.length > 0 };
  });
}

/**
 * False when the webhook is not as it was `seen`: the change has set the due row anew. What is due later stays. Nothing is
 * held any more; that is looked at once more when no transaction can be left that saw the webhook paused.
 */
async function endDrain(ctx: Context, webhookId: string, seen: Status): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const due = await readDue<DrainDetails>(ctx, drainWebhookJob, webhookId, transaction);
    if (!due) return { ...NO_PLAN, result: true };
    if ((await statusOf(ctx, webhookId, transaction)) !== seen) return { ...NO_PLAN, result: false };
    if (due.due_at.getTime() > ctx.clock.now()) return { ...NO_PLAN, result: true };
    const isOver = seen === 'paused' || ctx.clock.now() >= due.until.getTime();
    const plan = isOver
      ? { writes: [clearDue(drainWebhookJob, webhookId)], wakeUps: [] }
      : lookAgain(webhookId, due);
    return { ...plan, result: true };
  });
}

function lookAgain(webhookId: string, { org_id, until }: DueRow & DrainDetails) {
  return setDue(drainWebhookJob, {
    key: webhookId,
    orgId: org_id,
    dueMs: until.getTime(),
    details: { until },
  });
}

/**
 * Puts a held delivery at attempt 1 of its next round. It stays held, in its place, until the outcome is recorded: a
 * drain that dies is followed by one that begins with the same delivery. False when it is not held any more.
 */
async function beginRound(ctx: Context, _id: string, webhookId: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const row = await queuedDeliveryRows(ctx).findOne(onShard(ctx, { _id }, { webhook_id: webhookId }), {
      session: transaction,
    });
    if (row?.state !== 'held') return { ...NO_PLAN, result: false };
    const next: QueuedDelivery = { ...row, ...nextRoundOf(row) };
    return { ...replaceQueued([next]), result: true };
  });
}

/** False when its address may not be written to now: what became of the attempt has set the due row for when it may. */
async function attemptInOrder(ctx: Context, deliveryId: string, webhookId: string): Promise<boolean> {
  for (;;) {
    const { kind } = await attemptDrained(ctx, { deliveryId, webhookId });
    if (kind !== 'deferred') return kind !== 'postpone';
    await pause(FULL_LIST_PAUSE_MS);
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
