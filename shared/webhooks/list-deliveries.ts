import type { Context } from '../context.ts';
import { type Order, type Position, walkPage } from '../walk.ts';
import type { Delivery, Webhook } from './model.ts';

/** One page of a webhook's log, ordered by (`created_at`, id). Counts only when `total` is not known. */
export async function listDeliveries(
  ctx: Context,
  webhook: Webhook,
  page: { order: Order; limit: number; after: Position | null; total: number | null },
): Promise<{ rows: Delivery[]; hasMore: boolean; last: Position | null; total: number }> {
  const [walked, total] = await Promise.all([
    walk(ctx, webhook, page),
    page.total ?? ctx.db.deliveries.countDocuments({ webhook_id: webhook._id }),
  ]);
  return { ...walked, total };
}

export async function lastDelivery(ctx: Context, webhook: Webhook): Promise<Delivery | null> {
  const { rows } = await walk(ctx, webhook, { order: 'desc', limit: 1, after: null });
  return rows[0] ?? null;
}

function walk(
  ctx: Context,
  webhook: Webhook,
  page: { order: Order; limit: number; after: Position | null },
): ReturnType<typeof walkPage<Delivery>> {
  const direction = page.order === 'desc' ? -1 : 1;
  const find = (condition: Record<string, unknown>, limit: number) =>
    ctx.db.deliveries
      .find({ webhook_id: webhook._id, ...condition })
      .sort({ created_at: direction, _id: direction })
      .limit(limit)
      .lean<Delivery[]>();
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
