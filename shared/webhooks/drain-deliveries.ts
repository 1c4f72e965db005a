import type { Context } from '../context.ts';
import { WEBHOOK_TIMEOUT_MS } from '../contract.ts';
import { inTransaction, raw } from '../mongo.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { endTask, readTask, setTask } from './mark-failing.ts';
import type { QueuedDelivery } from './model.ts';
import { nextRoundOf } from './plan-deliveries.ts';

/** At most 100 a second, and never two at once: they arrive in order. */
const PACE_MS = 10;
const READ_AT_ONCE = 200;
/** Until then the drain itself is at it; a delivery whose worker died is due again after it. */
const LEASE_MS = WEBHOOK_TIMEOUT_MS + 5_000;

/** Sends what a webhook held, oldest event first, each from attempt 1; a failure goes on by the usual schedule. */
export async function drainDeliveries(ctx: Context, webhookId: string): Promise<void> {
  for (;;) {
    const held = await raw(ctx.db.queuedDeliveries)
      .find({ webhook_id: webhookId, state: 'held' })
      .project<Pick<QueuedDelivery, '_id' | 'round'>>({ round: 1 })
      .sort({ at: 1 })
      .limit(READ_AT_ONCE)
      .toArray();
    if (held.length === 0) return finish(ctx, webhookId);
    for (const row of held) {
      const startedMs = performance.now();
      const isActive = await isDelivering(ctx, webhookId);
      if (!isActive) return endTask(ctx, 'drain-webhook', webhookId);
      if (await release(ctx, row)) await attemptInOrder(ctx, row._id, webhookId);
      await pause(PACE_MS - (performance.now() - startedMs));
    }
  }
}

/** An empty list is looked at once more when no transaction can be left that saw the webhook failing. */
async function finish(ctx: Context, webhookId: string): Promise<void> {
  const task = await readTask(ctx, 'drain-webhook', webhookId);
  if (!task) return;
  const untilMs = task.until.getTime();
  if (ctx.clock.now() >= untilMs) return endTask(ctx, 'drain-webhook', webhookId);
  await inTransaction(ctx.db, (transaction) =>
    setTask(ctx, { kind: 'drain-webhook', webhook_id: webhookId, dueMs: untilMs, untilMs }, transaction),
  );
}

async function isDelivering(ctx: Context, webhookId: string): Promise<boolean> {
  const webhook = await raw(ctx.db.webhooks).findOne({ _id: webhookId }, { projection: { status: 1 } });
  return webhook?.status === 'active';
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
