import type { ClientSession } from 'mongoose';
import { type Order, type Position, walkPage } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import type { Webhook } from '../endpoints/model.ts';
import { type Delivery, deliveryRows, logOfQueued, queuedDeliveryRows } from './model.ts';

/**
 * One page of a webhook's log, ordered by (`created_at`, id). Counts only when `total` is not known. One snapshot, so
 * that a delivery which is finished meanwhile is seen once.
 */
export async function listDeliveries(
  ctx: Context,
  webhook: Webhook,
  page: { order: Order; limit: number; after: Position | null; total: number | null },
): Promise<{ rows: Delivery[]; hasMore: boolean; last: Position | null; total: number }> {
  return inTransaction(ctx.db, async (snapshot) => {
    const walked = await walk(ctx, webhook, page, snapshot);
    return { ...walked, total: page.total ?? (await countDeliveries(ctx, webhook, snapshot)) };
  });
}

/** The newest delivery of a webhook, or null. */
export async function lastDelivery(ctx: Context, webhook: Webhook): Promise<Delivery | null> {
  const { rows } = await inTransaction(ctx.db, (snapshot) =>
    walk(ctx, webhook, { order: 'desc', limit: 1, after: null }, snapshot),
  );
  return rows[0] ?? null;
}

async function countDeliveries(ctx: Context, webhook: Webhook, session: ClientSession): Promise<number> {
  const filter = { webhook_id: webhook._id };
  const unfinished = await queuedDeliveryRows(ctx).countDocuments(filter, { session });
  return unfinished + (await deliveryRows(ctx).countDocuments(filter, { session }));
}

function walk(
  ctx: Context,
  webhook: Webhook,
  page: { order: Order; limit: number; after: Position | null },
  snapshot: ClientSession,
): ReturnType<typeof walkPage<Delivery>> {
  const find = (condition: Record<string, unknown>, limit: number) =>
    findBoth(ctx, { webhook_id: webhook._id, ...condition }, page.order, limit, snapshot);
  return walkPage<Delivery>({
    ...page,
    fromMs: webhook.created_at.getTime(),
    toMs: ctx.clock.now() + 60_000,
    position: (delivery) => ({ atMs: delivery.created_at.getTime(), id: delivery._id }),
    fetchRange: (from, to, limit) => find({ created_at: { $gte: new Date(from), $lt: new Date(to) } }, limit),
    fetchTies: (at, id, limit) =>
      find({ created_at: new Date(at), _id: page.order === 'desc' ? { $lt: id } : { $gt: id } }, limit),
  });
}

/** What is not finished and what is, in one order. */
async function findBoth(
  ctx: Context,
  filter: Record<string, unknown>,
  order: Order,
  limit: number,
  session: ClientSession,
): Promise<Delivery[]> {
  const direction = order === 'desc' ? -1 : 1;
  const sort = { created_at: direction, _id: direction } as const;
  const options = { session, sort, limit };
  const queued = await queuedDeliveryRows(ctx).find(filter, options).toArray();
  const done = await deliveryRows(ctx).find(filter, options).toArray();
  return [...queued.map(logOfQueued), ...done]
    .toSorted((a, b) => direction * compareDeliveries(a, b))
    .slice(0, limit);
}

/** Compares deliveries in the order of the log: by `created_at`, then id. */
export function compareDeliveries(a: Delivery, b: Delivery): number {
  const apart = a.created_at.getTime() - b.created_at.getTime();
  if (apart !== 0) return apart;
  return a._id < b._id ? -1 : 1;
}
