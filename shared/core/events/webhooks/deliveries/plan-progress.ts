import { WEBHOOK_WAITS_MS } from '../../../../platform/basics/contract.ts';
import { NO_PLAN, type Plan, wakeAll } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { deleteRows, insertRow, replaceRow, type Write } from '../../../../platform/mongo/writes.ts';
import type { JobData, PlannedWakeUp } from '../../../../platform/queues/job.ts';
import { deliverWebhookJob, retryWebhookJob, sendDigestsJob } from './jobs.ts';
import { type Delivery, deliveryRows, type QueuedDelivery, queuedDeliveryRows } from './model.ts';

export const ATTEMPTS = WEBHOOK_WAITS_MS.length;

/**
 * A retry is woken and read this long before it is due, so that at its time nothing but the request is left to do.
 * Longer than what a queue may wake late: Redis ends a blocked read with its next tick, up to 100 ms after its time.
 */
export const WOKEN_EARLY_MS = 250;

/** Deliveries of one wake-up: few enough that several workers share a burst. */
export const WOKEN_TOGETHER = 20;

/** Retries that are due within one slice of time share wake-ups, which come early enough for the first of them. */
const RETRIES_TOGETHER_MS = 100;

/**
 * When the attempt after the failed `attempt` (1..5) is due, epoch ms: exactly the contract's wait after the failure,
 * no jitter; null after the last one. TIME_SCALE shortens the waits outside production.
 */
export function nextAttemptAt(
  { config }: Pick<Context, 'config'>,
  attempt: number,
  failedAtMs: number,
): number | null {
  const waitMs = WEBHOOK_WAITS_MS[attempt];
  return waitMs === undefined ? null : failedAtMs + Math.ceil(waitMs / config.timeScale);
}

/** Plans what queued deliveries have become: changed in the queue, or finished and moved to the log. Wakes the pending. */
export function planProgress(rows: readonly (QueuedDelivery | Delivery)[]): Plan {
  const queued = rows.filter((row) => 'state' in row);
  const done = rows.filter((row) => 'status' in row);
  if (rows.length === 0) return NO_PLAN;
  return {
    writes: [
      ...queued.map((row) => replaceRow(queuedDeliveryRows, row)),
      ...(done.length === 0 ? [] : [deleteFrom(queuedDeliveryRows, done)]),
      ...done.map((row) => insertRow(deliveryRows, row)),
    ],
    wakeUps: wakeUpsOf(queued.filter(({ state }) => state === 'pending')),
  };
}

/** Plans that finished deliveries leave the log and are queued again. Wakes the pending. */
export function planReturn(rows: readonly QueuedDelivery[]): Plan {
  if (rows.length === 0) return NO_PLAN;
  return {
    writes: [deleteFrom(deliveryRows, rows), ...rows.map((row) => insertRow(queuedDeliveryRows, row))],
    wakeUps: wakeUpsOf(rows.filter(({ state }) => state === 'pending')),
  };
}

function deleteFrom(
  collection: typeof queuedDeliveryRows | typeof deliveryRows,
  rows: readonly { _id: string; webhook_id: string }[],
): Write {
  return deleteRows(collection as typeof deliveryRows, {
    _id: { $in: rows.map(({ _id }) => _id) },
    webhook_id: { $in: [...new Set(rows.map(({ webhook_id }) => webhook_id))] },
  });
}

const WAKEABLE = { webhook_id: 1, at: 1, attempt: 1, wake: 1 } as const;
type Wakeable = Pick<QueuedDelivery, '_id' | keyof typeof WAKEABLE>;

/** Plans the wake-ups of pending rows: one job for all that share a `wake`. */
export function wakeUpsOf(pending: readonly Wakeable[]): PlannedWakeUp[] {
  return [...Map.groupBy(pending, ({ wake }) => wake)].map(([wake, rows]) => wakeUpOf(wake, rows));
}

/** Plans the wake-up of rows that share `wake`: first attempts and retries have a queue each, so neither waits for the other. */
export function wakeUpOf(wake: string, rows: readonly Wakeable[]): PlannedWakeUp {
  const data: JobData<typeof deliverWebhookJob> = {
    webhook_id: rows[0]?.webhook_id ?? '',
    delivery_ids: rows.map(({ _id }) => _id),
    wake,
    published: false,
  };
  const job = rows[0]?.attempt === 1 ? deliverWebhookJob : retryWebhookJob;
  return { job, id: wake, data, dueMs: Math.max(...rows.map(({ at }) => at)) - WOKEN_EARLY_MS };
}

/** Plans the wake-up of the digest that a collected delivery waits for. */
export function wakeDigest({ webhook_id, at }: Pick<QueuedDelivery, 'webhook_id' | 'at'>): PlannedWakeUp {
  return { job: sendDigestsJob, id: `${webhook_id}-${at}`, data: {}, dueMs: at };
}

/**
 * Wakes the deliveries of a webhook that have been due since `untilMs` (epoch) or longer: the oldest, at most `most`. One
 * whose job is queued or runs is not woken twice. Returns how many it found.
 */
export async function wakeDue(
  ctx: Context,
  webhookId: string,
  { untilMs, most }: { untilMs: number; most: number },
): Promise<number> {
  const due = await queuedDeliveryRows(ctx)
    .find({ webhook_id: webhookId, state: 'pending', at: { $lte: untilMs } })
    .project<Wakeable>(WAKEABLE)
    .sort({ at: 1 })
    .limit(most)
    .toArray();
  wakeAll(ctx, wakeUpsOf(due));
  return due.length;
}

/** Gives retries that are due at almost the same time at one webhook their wake-ups together. */
export function withRetryWakes(rows: readonly (QueuedDelivery | Delivery)[]): (QueuedDelivery | Delivery)[] {
  const together = Map.groupBy(
    rows.filter(isRetry),
    ({ webhook_id, at }) => `${webhook_id} ${Math.floor(at / RETRIES_TOGETHER_MS)}`,
  );
  return [...rows.filter((row) => !isRetry(row)), ...[...together.values()].flatMap(withWakes)];
}

/** A postponed mail has a wake-up of its own kind, and what is held has none. */
function isRetry(row: QueuedDelivery | Delivery): row is QueuedDelivery {
  return 'state' in row && row.state === 'pending' && row.wake === wakeOf(row);
}

/** Gives each run of `WOKEN_TOGETHER` rows the wake-up of its first. */
export function withWakes(rows: readonly Omit<QueuedDelivery, 'wake'>[]): QueuedDelivery[] {
  return rows.map((row, index) => ({ ...row, wake: wakeOf(rows[index - (index % WOKEN_TOGETHER)] ?? row) }));
}

/** Returns the id of the wake-up of an attempt that became due alone. */
export function wakeOf({ _id, round, attempt }: Pick<QueuedDelivery, '_id' | 'round' | 'attempt'>): string {
  return `${_id}-${round === 1 ? '' : `r${round}-`}${attempt}`;
}

/** Returns what changes in a delivery that is sent again from its first attempt. */
export function nextRoundOf({
  _id,
  round,
}: Pick<QueuedDelivery, '_id' | 'round'>): Pick<QueuedDelivery, 'round' | 'attempt' | 'wake'> {
  const next = { round: round + 1, attempt: 1 };
  return { ...next, wake: wakeOf({ _id, ...next }) };
}
