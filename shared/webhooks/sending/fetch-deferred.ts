import { walkPage } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { queuedDeliveryRows } from '../deliveries/model.ts';
import { WAKEABLE, type Wakeable, wakeDeliveries } from '../deliveries/wake-deliveries.ts';
import { brokenWebhooks } from './broken.ts';
import { capacityOf, defer, type Endpoint } from './endpoint.ts';

const FETCH_AT_ONCE = 1_000;

/**
 * Wakes what an endpoint had deferred to the store, oldest first. What is still queued or under way somewhere is not
 * woken twice.
 */
export async function fetchDeferred(ctx: Context, endpoint: Endpoint): Promise<void> {
  if (endpoint.fetching || endpoint.deferredSinceMs === null) return;
  const fromMs = endpoint.deferredSinceMs;
  endpoint.deferredSinceMs = null;
  if (brokenWebhooks(ctx).get(endpoint.webhookId)) return;
  endpoint.fetching = true;
  try {
    const underWay = endpoint.inFlight + endpoint.waiting.length;
    const limit = Math.min(FETCH_AT_ONCE, Math.ceil(capacityOf(endpoint) / 2)) + underWay;
    const { rows, hasMore } = await findDue(ctx, endpoint.webhookId, fromMs, limit);
    if (hasMore) defer(endpoint, rows[0]?.at ?? fromMs);
    wakeDeliveries(ctx, rows);
  } catch (error) {
    defer(endpoint, fromMs);
    ctx.log.warn({ err: error, webhook_id: endpoint.webhookId }, 'due deliveries were not fetched');
  } finally {
    endpoint.fetching = false;
  }
}

async function findDue(ctx: Context, webhookId: string, fromMs: number, limit: number) {
  // `at` is a number and ties do not matter, so this is the walk below `paginate`.
  return walkPage<Wakeable>({
    order: 'asc',
    fromMs,
    toMs: ctx.clock.now() + 1,
    after: { atMs: fromMs - 1, id: '', spanMs: 250 },
    limit,
    position: ({ at, _id }) => ({ atMs: at, id: _id }),
    fetchTies: async () => [],
    fetchRange: (from, to, most) =>
      queuedDeliveryRows(ctx)
        .find({ webhook_id: webhookId, state: 'pending', at: { $gte: from, $lt: to } })
        .project<Wakeable>(WAKEABLE)
        .sort({ at: 1 })
        .limit(most)
        .toArray(),
  });
}
