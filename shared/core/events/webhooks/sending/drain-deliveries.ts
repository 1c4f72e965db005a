import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { dueId, dueRows } from '../../../../platform/due/model.ts';
import { clearDue, readDue } from '../../../../platform/due/plan-due.ts';
import { type Delivery, finished, type QueuedDelivery, queuedDeliveryRows } from '../deliveries/model.ts';
import { planProgress } from '../deliveries/plan-progress.ts';
import { drainWebhookJob } from '../endpoints/jobs.ts';
import { isPaused, type Webhook, webhookRows } from '../endpoints/model.ts';
import { deliverHeld } from './deliver.ts';

/** At most 100 per second, and never two at once: they arrive in order. */
const PACE_MS = 10;
const READ_AT_ONCE = 200;
const FULL_LIST_PAUSE_MS = 100;
/** How long a drain goes on before other drains have their turn. */
const TURN_MS = 5_000;

type Status = 'delivering' | 'paused' | 'gone';

/** One run of the job, and its claim of the due row. */
interface Drain {
  webhookId: string;
  claimId: string;
  /** When its turn is over, of the monotonic clock. */
  endMs: number;
}

/**
 * Sends the held deliveries of a webhook, oldest event first, each from attempt 1; after a failure the usual schedule goes
 * on. It holds the pending deliveries of a paused webhook, and cancels all of a deleted one. It claims the due row, and ends
 * once another drain has claimed it or a change has set it anew, so that no two run at once. Returns when to go on (epoch
 * ms) if its turn is over before, so that endpoints which hang leave room for others; undefined when it has ended.
 */
export async function drainDeliveries(
  ctx: Context,
  webhookId: string,
  turnMs = TURN_MS,
): Promise<{ notBeforeMs: number } | undefined> {
  const drain = { webhookId, claimId: randomUUID(), endMs: performance.now() + turnMs };
  await dueRows(ctx).updateOne(
    { _id: dueId(drainWebhookJob, webhookId) },
    { $set: { claim_id: drain.claimId } },
  );
  while (await isClaimed(ctx, drain)) {
    const status = await statusOf(ctx, webhookId);
    const isMore = await (status === 'delivering' ? sendSome(ctx, drain) : takeOutSome(ctx, drain, status));
    if (!isMore) {
      await endDrain(ctx, drain);
      return undefined;
    }
    if (isOver(drain)) return { notBeforeMs: ctx.clock.now() };
  }
  return undefined;
}

function isOver({ endMs }: Drain): boolean {
  return performance.now() >= endMs;
}

/** Returns false when a drain has lost its due row: another one has claimed it, or it was set anew, which drops the claim. */
async function isClaimed(ctx: Context, { webhookId, claimId }: Drain, transaction?: ClientSession) {
  const due = await readDue(ctx, drainWebhookJob, webhookId, transaction);
  return due?.claim_id === claimId;
}

async function statusOf(ctx: Context, webhookId: string, transaction?: ClientSession): Promise<Status> {
  const webhook = await webhookRows(ctx).findOne<Pick<Webhook, 'enabled' | 'status'>>(
    { _id: webhookId },
    { projection: { enabled: 1, status: 1 }, ...(transaction ? { session: transaction } : {}) },
  );
  if (!webhook) return 'gone';
  return isPaused(webhook) ? 'paused' : 'delivering';
}

/** Sends held deliveries, in order. Returns false when nothing is left to do. */
async function sendSome(ctx: Context, drain: Drain): Promise<boolean> {
  const { webhookId } = drain;
  const held = await queuedDeliveryRows(ctx)
    .find({ webhook_id: webhookId, state: 'held' })
    .project<{ _id: string }>({ _id: 1 })
    .sort({ at: 1 })
    .limit(READ_AT_ONCE)
    .toArray();
  for (const { _id } of held) {
    const startedMs = performance.now();
    if (!(await isClaimed(ctx, drain))) return true;
    if (!(await attemptInOrder(ctx, _id, drain))) return false;
    if (isOver(drain)) return true;
    await pause(Math.max(0, PACE_MS - (performance.now() - startedMs)));
  }
  return held.length > 0;
}

/** Holds the pending deliveries of a paused webhook, or cancels all of a deleted one. Returns false when none was left. */
async function takeOutSome(ctx: Context, drain: Drain, status: Status): Promise<boolean> {
  const { webhookId } = drain;
  return commitPlan(ctx, async (transaction) => {
    if ((await statusNow(ctx, drain, transaction)) !== status) return { result: true };
    const rows = await queuedDeliveryRows(ctx)
      .find(status === 'gone' ? { webhook_id: webhookId } : { webhook_id: webhookId, state: 'pending' }, {
        session: transaction,
      })
      .limit(READ_AT_ONCE)
      .toArray();
    const nowMs = ctx.clock.now();
    const takenOut = rows.map((row): QueuedDelivery | Delivery =>
      status === 'gone' ? finished(row, 'cancelled', nowMs) : { ...row, state: 'held', at: row.position },
    );
    return { ...planProgress(takenOut), result: rows.length > 0 };
  });
}

/** Returns the webhook's status in a transaction; null when the drain has lost its due row. */
async function statusNow(ctx: Context, drain: Drain, transaction: ClientSession): Promise<Status | null> {
  if (!(await isClaimed(ctx, drain, transaction))) return null;
  return statusOf(ctx, drain.webhookId, transaction);
}

/** Ends a drain that found nothing left. A due row that was set anew stays. */
async function endDrain(ctx: Context, drain: Drain): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const isOwn = await isClaimed(ctx, drain, transaction);
    const writes = isOwn ? [clearDue(drainWebhookJob, drain.webhookId)] : [];
    return { writes, result: undefined };
  });
}

/**
 * Attempts a delivery. Returns false when its address may not get mails now: the outcome has then set the due row for when
 * it may. If its endpoint has no room before the turn is over, the delivery is the first of the next turn.
 */
async function attemptInOrder(ctx: Context, deliveryId: string, drain: Drain): Promise<boolean> {
  for (;;) {
    const kind = await deliverHeld(ctx, { deliveryId, webhookId: drain.webhookId });
    if (kind !== 'deferred') return kind !== 'postpone';
    if (isOver(drain)) return true;
    await pause(FULL_LIST_PAUSE_MS);
  }
}
