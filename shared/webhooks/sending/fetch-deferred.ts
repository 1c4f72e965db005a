import { type KeysetQuery, paginate } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { queuedDeliveryRows } from '../deliveries/model.ts';
import { WAKEABLE, type Wakeable, wakeDeliveries } from '../deliveries/wake-deliveries.ts';
import { brokenWebhooks } from './broken.ts';
import { capacityOf, defer, type Endpoint } from './endpoint.ts';

const FETCH_AT_ONCE = 1_000;
/** A busy endpoint has many within a second. */
const FIRST_SPAN_MS = 250;

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
  const due = { webhook_id: webhookId, state: 'pending' as const };
  const find = ({ filter, limit: most }: KeysetQuery) =>
    queuedDeliveryRows(ctx)
      .find({ ...due, ...filter })
      .project<Wakeable>(WAKEABLE)
      .sort({ at: 1 })
      .limit(most)
      .toArray();
  const after = { atMs: fromMs - 1, id: '', spanMs: FIRST_SPAN_MS };
  const page = { order: 'asc', fromMs, toMs: ctx.clock.now() + 1, after, limit } as const;
  return paginate<Wakeable>(find, 'at', page, Number);
}
