import type { ClientSession } from 'mongoose';
import { isStoreError } from '../../../../platform/basics/errors.ts';
import { within } from '../../../../platform/basics/within.ts';
import { commitPlan, type Decision, joinPlans, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { planDrain, planDrainAt, planFailing } from '../endpoints/plan-change.ts';
import { type Attempt, type Delivery, finished, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import {
  ATTEMPTS,
  nextAttemptAt,
  nextRoundOf,
  planProgress,
  wakeOf,
  withRetryWakes,
} from './plan-progress.ts';

export type Outcome = Intent & Result;

/** The attempt that an outcome answers. If the delivery has moved on, the outcome changes nothing. */
interface Intent {
  deliveryId: string;
  webhookId: string;
  round: number;
  attempt: number;
  /** True when a drain has sent it, which begins its next round. */
  isDrained: boolean;
}

/** The end of an attempt. Times are epoch ms. */
export type Result =
  | { kind: 'attempted'; result: Attempt; endedAtMs: number }
  | { kind: 'postpone'; dueMs: number }
  /** The end of a session whose start is not delivered yet: it leaves the drain, and is due then. */
  | { kind: 'follow'; dueMs: number }
  | { kind: 'drain' };

/** Attempts that a delivery's log keeps, and how many of the newest keep their answers. */
const LOGGED = { attempts: 50, answers: ATTEMPTS };
const OUTCOMES_PER_TRANSACTION = 250;
const STORE_PATIENCE_MS = 60_000;
/** A transaction takes some milliseconds. One that hangs on a dark connection is given up after this. */
const RECORD_DEADLINE_MS = 8_000;

/**
 * Records the outcome of an attempt, once. Outcomes that wait together share one transaction. An outcome whose intent is
 * no longer the delivery's (another worker was faster, or it was sent again) changes nothing. While the store is away, the
 * outcome is kept and tried again for a minute, so that the attempt need not be repeated. It is tried again beside those of
 * the same webhook only, so that no webhook waits for rows that another one's lost transaction has locked.
 */
export async function recordOutcome(ctx: Context, outcome: Outcome): Promise<void> {
  const untilMs = performance.now() + STORE_PATIENCE_MS;
  let key = 'delivery-outcomes';
  for (let waitMs = 100; ; waitMs = Math.min(2 * waitMs, 2_000)) {
    try {
      await submit(ctx, key, outcome);
      return;
    } catch (error) {
      if (!isStoreError(error) || performance.now() > untilMs) throw error;
      key = `delivery-outcomes ${outcome.webhookId}`;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

function submit(ctx: Context, key: string, outcome: Outcome): Promise<void> {
  return ctx.batcher.submit(key, outcome, {
    maxWeight: OUTCOMES_PER_TRANSACTION,
    weigh: () => 1,
    run: async (outcomes) => {
      const recorded = commitPlan(ctx, (transaction) => decide(ctx, outcomes, transaction));
      await within(RECORD_DEADLINE_MS, 'Recording outcomes', recorded);
      return outcomes.map(() => undefined);
    },
  });
}

async function decide(
  ctx: Context,
  outcomes: readonly Outcome[],
  transaction: ClientSession,
): Promise<Decision<undefined>> {
  const ids = [...new Set(outcomes.map(({ deliveryId }) => deliveryId))];
  const webhookIds = [...new Set(outcomes.map(({ webhookId }) => webhookId))];
  const found = await queuedDeliveryRows(ctx)
    .find({ _id: { $in: ids }, webhook_id: { $in: webhookIds } }, { session: transaction })
    .toArray();
  const nowMs = ctx.clock.now();
  const before = new Map(found.map((row) => [row._id, row]));
  const after = new Map<string, QueuedDelivery | Delivery>();
  const drains = new Map<string, Plan>();
  for (const outcome of outcomes) {
    const row = after.get(outcome.deliveryId) ?? before.get(outcome.deliveryId);
    if (!row || !('state' in row) || row.round !== outcome.round || row.attempt !== outcome.attempt) continue;
    const webhook = { _id: row.webhook_id, org_id: row.org_id };
    if (outcome.kind === 'drain') {
      drains.set(webhook._id, planDrain(webhook, nowMs));
      continue;
    }
    const begun = outcome.isDrained ? { ...row, ...nextRoundOf(row) } : row;
    const next = stepOf(ctx, begun, outcome, nowMs);
    if (next) after.set(row._id, next);
    if (outcome.kind === 'postpone' && begun.attempt === 1 && !drains.has(webhook._id))
      drains.set(webhook._id, await planDrainAt(ctx, webhook, outcome.dueMs, transaction));
  }
  const plans = [planProgress(withRetryWakes([...after.values()])), ...drains.values()];
  for (const webhookId of exhaustedAt(after.values()))
    plans.push(await planFailing(ctx, webhookId, nowMs, transaction));
  return { ...joinPlans(...plans), result: undefined };
}

function exhaustedAt(rows: Iterable<QueuedDelivery | Delivery>): Set<string> {
  const exhausted = [...rows].filter((row) => 'status' in row && row.status === 'exhausted');
  return new Set(exhausted.map((row) => row.webhook_id));
}

/** Returns the delivery after an outcome, finished or not; null when nothing changes. Pure. */
function stepOf(
  ctx: Context,
  row: QueuedDelivery,
  outcome: Exclude<Outcome, { kind: 'drain' }>,
  nowMs: number,
): QueuedDelivery | Delivery | null {
  if (outcome.kind === 'follow' || (outcome.kind === 'postpone' && row.attempt > 1)) {
    const wake = `${wakeOf(row)}-${outcome.dueMs}`;
    return { ...row, state: 'pending', at: outcome.dueMs, wake };
  }
  // A mail that was not tried yet waits with the others in their order.
  if (outcome.kind === 'postpone')
    return row.state === 'held' ? null : { ...row, state: 'held', at: row.position };
  const attempts = logWith(row.attempts, outcome.result);
  if (outcome.result.error === null) return finished({ ...row, attempts }, 'succeeded', nowMs);
  if (row.attempt >= ATTEMPTS) return finished({ ...row, attempts }, 'exhausted', nowMs);
  const attempt = row.attempt + 1;
  const next = { ...row, attempts, attempt, wake: wakeOf({ ...row, attempt }) };
  // One that was held while it was under way stays held. One that the drain sent goes on by the schedule.
  if (row.state === 'held' && !outcome.isDrained) return next;
  return {
    ...next,
    state: 'pending',
    at: nextAttemptAt(ctx, row.attempt, outcome.endedAtMs) ?? outcome.endedAtMs,
  };
}

/** Bounds the row of a delivery that is sent again and again, because a list reads a hundred of them. */
function logWith(before: readonly Attempt[], result: Attempt): Attempt[] {
  const all = [...before, result];
  const withAnswers = all.length - LOGGED.answers;
  return all
    .map((attempt, index) => (index < withAnswers ? { ...attempt, answer: null } : attempt))
    .slice(-LOGGED.attempts);
}
