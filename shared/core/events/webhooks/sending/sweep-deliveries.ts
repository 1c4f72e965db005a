import { inBatches } from '../../../../platform/basics/in-batches.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { perContext } from '../../../../platform/context/per-context.ts';
import { countUnsentAlerts } from '../deliveries/failing-webhook.ts';
import { queuedDeliveryRows } from '../deliveries/model.ts';
import { wakeDue } from '../deliveries/plan-progress.ts';
import { webhookRows } from '../endpoints/model.ts';
import { isSweepable } from './endpoint.ts';
import { failingWebhooks, heldDeliveries, unsentAlerts } from './metrics.ts';

/** How late a due row may be before it is taken for one without a live job. */
const GRACE_MS = 2_000;
const WOKEN_AT_MOST = 5_000;
const READ_TOGETHER = 8;

/**
 * Wakes what is due without a live job: lost with Redis, or left in the store by a worker that died. Each webhook has an
 * equal share of about `most` deliveries, so that a long list of one never hides another's. Returns how many it found.
 */
export async function sweepDeliveries(ctx: Context, most = WOKEN_AT_MOST): Promise<number> {
  const untilMs = ctx.clock.now() - GRACE_MS;
  const late = { state: 'pending' as const, at: { $lte: untilMs } };
  const webhookIds = await queuedDeliveryRows(ctx).distinct('webhook_id', late);
  const swept = webhookIds.filter((webhookId) => isSweepable(ctx, webhookId));
  const share = { untilMs, most: Math.ceil(most / swept.length) };
  let found = 0;
  for await (const count of inBatches(swept, READ_TOGETHER, (webhookId) => wakeDue(ctx, webhookId, share)))
    found += count;
  await countPaused(ctx);
  return found;
}

/** How often a process counts what is held, because a count takes some microseconds per delivery. */
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
