import { wakeAll } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import type { JobData } from '../../platform/queues/job.ts';
import type { PlannedWakeUp } from '../../platform/queues/wake-up.ts';
import { deliverWebhookJob, retryWebhookJob } from './jobs.ts';
import type { QueuedDelivery } from './model.ts';
import { WOKEN_EARLY_MS } from './schedule.ts';

/** What a wake-up needs of a row, for those who read many. */
export type Wakeable = Pick<QueuedDelivery, '_id' | 'webhook_id' | 'at' | 'attempt' | 'wake'>;
export const WAKEABLE = { webhook_id: 1, at: 1, attempt: 1, wake: 1 } as const;

/** Wakes rows that are in the store. */
export function wakeDeliveries(ctx: Context, queued: readonly Wakeable[]): void {
  wakeAll(ctx, wakeUpsOf(queued));
}

/**
 * The wake-ups of rows: one job for those that share a `wake`. First attempts and retries have queues of their own, so
 * that neither waits behind the other.
 */
export function wakeUpsOf(queued: readonly Wakeable[]): PlannedWakeUp[] {
  return [...Map.groupBy(queued, ({ wake }) => wake)].map(([id, together]) => wakeUpOf(id, together));
}

/** The wake-up of rows that share the id `wake`. */
export function wakeUpOf(id: string, together: readonly Wakeable[], published = false): PlannedWakeUp {
  const data: JobData<typeof deliverWebhookJob> = {
    webhook_id: together[0]?.webhook_id ?? '',
    delivery_ids: together.map(({ _id }) => _id),
    wake: id,
    published,
  };
  return {
    job: together[0]?.attempt === 1 ? deliverWebhookJob : retryWebhookJob,
    id,
    data,
    dueMs: Math.min(...together.map(({ at }) => at)) - WOKEN_EARLY_MS,
  };
}

/** The id of the wake-up of an attempt that nothing else became due with. */
export function wakeOf({ _id, round, attempt }: Pick<QueuedDelivery, '_id' | 'round' | 'attempt'>): string {
  return `${_id}-${round === 1 ? '' : `r${round}-`}${attempt}`;
}

/** What changes in a delivery that is sent again from its first attempt. */
export function nextRoundOf({
  _id,
  round,
}: Pick<QueuedDelivery, '_id' | 'round'>): Pick<QueuedDelivery, 'round' | 'attempt' | 'wake'> {
  const next = { round: round + 1, attempt: 1 };
  return { ...next, wake: wakeOf({ _id, ...next }) };
}
