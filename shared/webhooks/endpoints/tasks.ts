import type { ClientSession } from 'mongoose';
import { dateAt } from '../../platform/basics/clock.ts';
import type { Context } from '../../platform/context/context.ts';
import { collection } from '../../platform/mongo/collection.ts';
import { afterCommit } from '../../platform/mongo/transaction.ts';
import { alertAdminsJob, drainWebhookJob, holdWebhookJob } from './jobs.ts';

/** What is to be done about a webhook itself; the row goes when it is done. */
export interface WebhookTask {
  /** Kind and webhook. */
  _id: string;
  kind: 'hold-webhook' | 'drain-webhook' | 'alert-admins';
  webhook_id: string;
  due_at: Date;
  /** Drain: until then a transaction that began while the webhook was failing may still hold something. */
  until: Date;
}

export const webhookTaskRows = collection<WebhookTask>('webhook_tasks', {
  indexes: [{ key: { due_at: 1 } }],
});

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
  'alert-admins': alertAdminsJob,
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
