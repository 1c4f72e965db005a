import type { Context } from '../../platform/context/context.ts';
import { perContext } from '../../platform/context/per-context.ts';
import { countUnsentAlerts } from '../deliveries/alert-admins.ts';
import { failingWebhooks, heldDeliveries, unsentAlerts } from '../deliveries/metrics.ts';
import { queuedDeliveryRows } from '../deliveries/model.ts';
import { WAKEABLE, type Wakeable, wakeDeliveries } from '../deliveries/wake-deliveries.ts';
import { webhookRows } from '../endpoints/model.ts';
import { brokenWebhooks } from './broken.ts';
import { deferToBusyEndpoint } from './permits.ts';

/** How late a due row may be before it is taken for one without a live job. */
const GRACE_MS = 2_000;
const READ_AT_MOST = 50_000;
const WAKE_AT_MOST = 5_000;
const WAKE_OF_ONE_WEBHOOK = 2_000;

/**
 * Wakes what is due without a live job: lost with Redis, or left in the store by a worker that died. No webhook takes
 * more than its share, so that a long list of one never hides another's. At most `readAtMost` rows are read at once. Also
 * counts what is paused, for the metrics.
 */
export async function sweepDeliveries(ctx: Context, readAtMost: number = READ_AT_MOST): Promise<number> {
  const found: Wakeable[] = [];
  const perWebhook = new Map<string, number>();
  let read = readAtMost;
  while (read === readAtMost && found.length < WAKE_AT_MOST) {
    read = 0;
    for await (const row of dueRowsBeside(ctx, [...perWebhook.keys()], readAtMost)) {
      read += 1;
      const count = perWebhook.get(row.webhook_id) ?? 0;
      perWebhook.set(row.webhook_id, count);
      if (count >= WAKE_OF_ONE_WEBHOOK || brokenWebhooks(ctx).get(row.webhook_id)) continue;
      if (deferToBusyEndpoint(ctx, row.webhook_id, row.at)) continue;
      perWebhook.set(row.webhook_id, count + 1);
      found.push(row);
      if (found.length >= WAKE_AT_MOST) break;
    }
  }
  wakeDeliveries(ctx, found);
  await countPaused(ctx);
  return found.length;
}

/** Rows that are due, the oldest first, but for those of webhooks that had their share. */
function dueRowsBeside(ctx: Context, webhookIds: readonly string[], most: number): AsyncIterable<Wakeable> {
  const due = { state: 'pending', at: { $lte: ctx.clock.now() - GRACE_MS } } as const;
  return queuedDeliveryRows(ctx)
    .find(webhookIds.length === 0 ? due : { ...due, webhook_id: { $nin: [...webhookIds] } })
    .project<Wakeable>(WAKEABLE)
    .sort({ at: 1 })
    .limit(most);
}

/** How often a process counts what is held: it costs some microseconds per delivery. */
const COUNT_HELD_EVERY_MS = 30_000;

const countedHeld = perContext(() => ({ atMs: Number.NEGATIVE_INFINITY }));

async function countPaused(ctx: Context): Promise<void> {
  failingWebhooks(ctx).set(await webhookRows(ctx).countDocuments({ status: 'failing' }));
  unsentAlerts(ctx).set(await countUnsentAlerts(ctx));
  const held = countedHeld(ctx);
  if (performance.now() - held.atMs < COUNT_HELD_EVERY_MS) return;
  held.atMs = performance.now();
  heldDeliveries(ctx).set(await queuedDeliveryRows(ctx).countDocuments({ state: 'held' }));
}
