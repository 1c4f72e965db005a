import type { ClientSession, mongo } from 'mongoose';
import { dateAt } from '../clock.ts';
import type { Context } from '../context.ts';
import { isStoreError } from '../errors.ts';
import { afterCommit, inTransaction, raw } from '../mongo.ts';
import { markFailing } from './mark-failing.ts';
import type { Attempt, Delivery, DeliveryStatus, QueuedDelivery } from './model.ts';
import { wakeDeliveries, wakeOf } from './plan-deliveries.ts';
import { ATTEMPTS, nextAttemptAt } from './schedule.ts';

export type Outcome = {
  deliveryId: string;
  /** The intent that it answers: of any other one it changes nothing. */
  round: number;
  attempt: number;
} & ({ kind: 'attempted'; result: Attempt; endedAtMs: number } | { kind: 'hold' } | { kind: 'cancel' });

/** Attempts that a delivery's log keeps; those of older rounds go first. */
const LOGGED_ATTEMPTS = 50;
const OUTCOMES_PER_TRANSACTION = 250;
const STORE_PATIENCE_MS = 60_000;

/**
 * Writes what became of an attempt, once: outcomes that wait together share one transaction. An outcome whose intent is
 * no longer the delivery's (another worker was faster, or it was sent again) changes nothing. While the store is away
 * it keeps the outcome and tries again for a minute, so that the attempt need not be repeated.
 */
export async function recordOutcome(ctx: Context, outcome: Outcome): Promise<void> {
  const untilMs = performance.now() + STORE_PATIENCE_MS;
  for (let waitMs = 100; ; waitMs = Math.min(2 * waitMs, 2_000)) {
    try {
      await ctx.lanes.submit('delivery-outcomes', outcome, {
        maxWeight: OUTCOMES_PER_TRANSACTION,
        weigh: () => 1,
        run: async (outcomes) => {
          await inTransaction(ctx.db, (transaction) => record(ctx, outcomes, transaction));
          return outcomes.map(() => undefined);
        },
      });
      return;
    } catch (error) {
      if (!isStoreError(error) || performance.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

interface Step {
  status: DeliveryStatus;
  /** What is still to be done; null: nothing. */
  next: QueuedDelivery | null;
}

async function record(ctx: Context, outcomes: readonly Outcome[], transaction: ClientSession): Promise<void> {
  const ids = [...new Set(outcomes.map(({ deliveryId }) => deliveryId))];
  const found = await raw(ctx.db.queuedDeliveries)
    .find({ _id: { $in: ids } }, { session: transaction })
    .toArray();
  const before = new Map(found.map((row) => [row._id, row]));
  const after = new Map<string, QueuedDelivery | null>();
  const updates: mongo.AnyBulkWriteOperation<Delivery>[] = [];
  const failing = new Set<string>();
  for (const outcome of outcomes) {
    const row = after.has(outcome.deliveryId)
      ? after.get(outcome.deliveryId)
      : before.get(outcome.deliveryId);
    if (!row || row.round !== outcome.round || row.attempt !== outcome.attempt) continue;
    const step = stepOf(ctx, row, outcome);
    if (!step) continue;
    after.set(row._id, step.next);
    updates.push({ updateOne: { filter: { _id: row._id }, update: updateOf(step, outcome) } });
    if (step.status === 'exhausted') failing.add(row.webhook_id);
  }
  if (updates.length === 0) return;
  await replaceQueued(ctx, after, transaction);
  await raw(ctx.db.deliveries).bulkWrite(updates, { session: transaction });
  for (const webhookId of failing) await markFailing(ctx, webhookId, transaction);
}

/** Where an outcome takes a delivery, or null when it changes nothing. Pure. */
function stepOf(ctx: Context, row: QueuedDelivery, outcome: Outcome): Step | null {
  if (outcome.kind === 'cancel') return { status: 'cancelled', next: null };
  if (outcome.kind === 'hold') {
    if (row.state === 'held') return null;
    return { status: 'held', next: { ...row, state: 'held', at: row.position } };
  }
  if (outcome.result.error === null) return { status: 'succeeded', next: null };
  if (outcome.attempt >= ATTEMPTS) return { status: 'exhausted', next: null };
  const attempt = outcome.attempt + 1;
  // Held while it was under way: it stays so, and begins again when the webhook does.
  const next = { ...row, attempt, wake: wakeOf({ ...row, attempt }) };
  if (row.state === 'held') return { status: 'held', next };
  const at = nextAttemptAt(ctx, outcome.attempt, outcome.endedAtMs) ?? outcome.endedAtMs;
  return { status: 'pending', next: { ...next, at } };
}

function updateOf({ status, next }: Step, outcome: Outcome): mongo.UpdateFilter<Delivery> {
  const next_attempt_at = next?.state === 'pending' ? dateAt(next.at) : null;
  const $set = { status, next_attempt_at };
  if (outcome.kind !== 'attempted') return { $set };
  return { $set, $push: { attempts: { $each: [outcome.result], $slice: -LOGGED_ATTEMPTS } } };
}

/** Rows change by delete and insert (docs/stores.md); retries are woken by the commit. */
export async function replaceQueued(
  ctx: Context,
  after: ReadonlyMap<string, QueuedDelivery | null>,
  transaction: ClientSession,
): Promise<void> {
  const rows = [...after.values()].filter((row) => row !== null);
  await raw(ctx.db.queuedDeliveries).deleteMany(
    { _id: { $in: [...after.keys()] } },
    { session: transaction },
  );
  if (rows.length === 0) return;
  await raw(ctx.db.queuedDeliveries).insertMany(rows, { session: transaction, ordered: false });
  const pending = rows.filter(({ state }) => state === 'pending');
  afterCommit(transaction, () => wakeDeliveries(ctx, pending));
}
