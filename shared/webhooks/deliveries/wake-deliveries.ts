import { wakeAll } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import type { JobData } from '../../platform/queues/job.ts';
import type { PlannedWakeUp } from '../../platform/queues/wake-up.ts';
import { deliverWebhookJob, retryWebhookJob } from './jobs.ts';
import { type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { WOKEN_EARLY_MS } from './schedule.ts';

const WAKEABLE = { webhook_id: 1, at: 1, attempt: 1, wake: 1 } as const;
type Wakeable = Pick<QueuedDelivery, '_id' | keyof typeof WAKEABLE>;

/** Plans the wake-ups of pending rows: one job for all that share a `wake`. */
export function wakeUpsOf(pending: readonly Wakeable[]): PlannedWakeUp[] {
  return [...Map.groupBy(pending, ({ wake }) => wake)].map(([wake, rows]) => wakeUpOf(wake, rows));
}

/**
 * Plans the wake-up of rows that share `wake`. First attempts and retries have queues of their own, so that neither waits
 * behind the other.
 */
export function wakeUpOf(wake: string, rows: readonly Wakeable[]): PlannedWakeUp {
  const data: JobData<typeof deliverWebhookJob> = {
    webhook_id: rows[0]?.webhook_id ?? '',
    delivery_ids: rows.map(({ _id }) => _id),
    wake,
    published: false,
  };
  const job = rows[0]?.attempt === 1 ? deliverWebhookJob : retryWebhookJob;
  return { job, id: wake, data, dueMs: Math.min(...rows.map(({ at }) => at)) - WOKEN_EARLY_MS };
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
