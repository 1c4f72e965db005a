import { z } from 'zod';
import type { Context } from '../../../../platform/context/context.ts';
import { hear } from '../../../../platform/context/hear.ts';
import { perContext } from '../../../../platform/context/per-context.ts';
import type { PlannedWakeUp } from '../../../../platform/queues/job.ts';
import { deliverWebhookJob } from './jobs.ts';
import type { QueuedDelivery } from './model.ts';

// A commit publishes the first attempts that are due at once, so that a worker sends them without reading the store
// (ADR 0073). Nothing depends on it: a worker reads what it did not receive.

/** The longest message that a commit publishes, in characters. */
const MESSAGE_AT_MOST = 64 * 1_024;

/** How long a published row stands in for the stored one. */
const FRESH_MS = 1_000;

const publishedRows = z.array(
  z.strictObject({
    _id: z.string(),
    event_id: z.string(),
    body: z.string(),
    words: z.string().optional(),
    at: z.number(),
    wake: z.string(),
    /** The webhook's revision as the transaction saw it. */
    revision: z.int(),
  }),
);
type PublishedRow = z.output<typeof publishedRows>[number];

/** Adds planned rows to their wake-up, unless they are due later or too long. `revision` is that of their webhook. */
export function withRows(
  wakeUp: PlannedWakeUp,
  rows: readonly QueuedDelivery[],
  revision: number,
): PlannedWakeUp {
  if (rows.some(({ at, created_at }) => at > created_at.getTime())) return wakeUp;
  const published = rows.map(({ _id, event_id, body, words, at, wake }): PublishedRow => {
    return { _id, event_id, body, ...(words === undefined ? {} : { words }), at, wake, revision };
  });
  const publish = JSON.stringify(published);
  if (publish.length > MESSAGE_AT_MOST) return wakeUp;
  return { ...wakeUp, data: { ...(wakeUp.data as object), published: true }, publish };
}

/** Published rows with the time of their receipt, in its order. */
const received = perContext(() => new Map<string, { row: PublishedRow; atMs: number }>());

/** Receives published rows until the returned function is called. */
export function receivePublished(ctx: Context): () => void {
  return hear(ctx, deliverWebhookJob, (message) => {
    const rows = received(ctx);
    const nowMs = performance.now();
    for (const [id, { atMs }] of rows) {
      if (nowMs - atMs < FRESH_MS) break;
      rows.delete(id);
    }
    for (const row of publishedRows.safeParse(JSON.parse(message)).data ?? [])
      rows.set(row._id, { row, atMs: nowMs });
  });
}

/** Returns a row that was published within the last second, once: a second attempt reads the store. */
export function takePublished(ctx: Context, deliveryId: string): PublishedRow | null {
  const rows = received(ctx);
  const found = rows.get(deliveryId);
  rows.delete(deliveryId);
  return found && performance.now() - found.atMs < FRESH_MS ? found.row : null;
}
