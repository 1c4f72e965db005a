import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import type { Context } from '../platform/context/context.ts';
import { afterCommit } from '../platform/mongo/transaction.ts';
import { alertAdminJob, drainWebhookJob, holdWebhookJob } from './jobs.ts';
import { type WebhookTask, webhookRows, webhookTaskRows } from './model.ts';

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
    { kind: 'alert-admin', webhook_id: webhookId, dueMs: nowMs, untilMs: nowMs },
    transaction,
  );
}

/** Puts a task in place of the one of its kind, and wakes it when the transaction commits. */
export async function setTask(
  ctx: Context,
  task: { kind: WebhookTask['kind']; webhook_id: string; dueMs: number; untilMs: number },
  transaction: ClientSession,
): Promise<void> {
  const { kind, webhook_id, dueMs, untilMs } = task;
  const _id = `${kind} ${webhook_id}`;
  const tasks = webhookTaskRows(ctx);
  await tasks.deleteOne({ _id }, { session: transaction });
  const row = { _id, kind, webhook_id, due_at: dateAt(dueMs), until: dateAt(untilMs) };
  await tasks.insertOne(row, { session: transaction });
  afterCommit(transaction, () => wakeTask(ctx, row));
}

/** A transaction lives 60 s at most: one that saw the webhook failing has held its events by then. */
const STRAGGLERS_MS = 120_000;

/** What the webhook holds is to be drained: now, and what a transaction may still add that saw it failing. */
export async function setDrain(ctx: Context, webhookId: string, transaction: ClientSession): Promise<void> {
  const dueMs = ctx.clock.now();
  const untilMs = dueMs + STRAGGLERS_MS;
  await setTask(ctx, { kind: 'drain-webhook', webhook_id: webhookId, dueMs, untilMs }, transaction);
}

const TASK_JOBS = {
  'alert-admin': alertAdminJob,
  'hold-webhook': holdWebhookJob,
  'drain-webhook': drainWebhookJob,
};

export function wakeTask(ctx: Context, { kind, webhook_id, due_at }: WebhookTask): void {
  const delayMs = due_at.getTime() - ctx.clock.now();
  ctx.queues.wake(TASK_JOBS[kind], [
    { id: `${webhook_id}-${due_at.getTime()}`, job: { webhook_id }, delayMs },
  ]);
}

export async function readTask(
  ctx: Context,
  kind: WebhookTask['kind'],
  webhookId: string,
  transaction?: ClientSession,
): Promise<WebhookTask | null> {
  const options = transaction ? { session: transaction } : {};
  return webhookTaskRows(ctx).findOne({ _id: `${kind} ${webhookId}` }, options);
}

export async function endTask(
  ctx: Context,
  kind: WebhookTask['kind'],
  webhookId: string,
  transaction?: ClientSession,
): Promise<void> {
  const options = transaction ? { session: transaction } : {};
  await webhookTaskRows(ctx).deleteOne({ _id: `${kind} ${webhookId}` }, options);
}
