import type { ClientSession } from 'mongoose';
import type { EventType } from '../../platform/basics/contract.ts';
import {
  type KeysetQuery,
  LIST_AHEAD_MS,
  type Order,
  type Position,
  paginate,
} from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import type { Webhook } from '../endpoints/model.ts';
import {
  type Delivery,
  type DeliveryStatus,
  deliveryRows,
  logOfQueued,
  queuedDeliveryRows,
} from './model.ts';

/** What a list of deliveries may be narrowed to. */
export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  type?: EventType | undefined;
}

interface Page {
  order: Order;
  limit: number;
  after: Position | null;
}

/**
 * One page of a webhook's log, ordered by (`created_at`, id). Counts only when `total` is not known. One snapshot, so
 * that a delivery which is finished meanwhile is seen once.
 */
export async function listDeliveries(
  ctx: Context,
  webhook: Webhook,
  filter: DeliveryFilter,
  page: Page & { total: number | null },
): Promise<{ rows: Delivery[]; hasMore: boolean; last: Position | null; total: number }> {
  return inTransaction(ctx.db, async (snapshot) => {
    const found = await findPage(ctx, webhook, filter, page, snapshot);
    return { ...found, total: page.total ?? (await countDeliveries(ctx, webhook, filter, snapshot)) };
  });
}

/** The newest delivery of a webhook, or null. */
export async function lastDelivery(ctx: Context, webhook: Webhook): Promise<Delivery | null> {
  const { rows } = await inTransaction(ctx.db, (snapshot) =>
    findPage(ctx, webhook, {}, { order: 'desc', limit: 1, after: null }, snapshot),
  );
  return rows[0] ?? null;
}

type Found = ReturnType<typeof filtersOf>;

/** A delivery is in one collection while it is not finished and in another afterwards; null where none can match. */
function filtersOf(webhook: Webhook, { status, type }: DeliveryFilter) {
  const both = { webhook_id: webhook._id, ...(type ? { type } : {}) };
  if (status === undefined) return { queued: both, done: both };
  const isQueued = status === 'pending' || status === 'held' || status === 'collected';
  return isQueued
    ? { queued: { ...both, state: status }, done: null }
    : { queued: null, done: { ...both, status } };
}

async function countDeliveries(
  ctx: Context,
  webhook: Webhook,
  filter: DeliveryFilter,
  session: ClientSession,
): Promise<number> {
  const { queued, done } = filtersOf(webhook, filter);
  const unfinished = queued ? await queuedDeliveryRows(ctx).countDocuments(queued, { session }) : 0;
  return unfinished + (done ? await deliveryRows(ctx).countDocuments(done, { session }) : 0);
}

function findPage(
  ctx: Context,
  webhook: Webhook,
  filter: DeliveryFilter,
  page: Page,
  snapshot: ClientSession,
): ReturnType<typeof paginate<Delivery>> {
  const filters = filtersOf(webhook, filter);
  const find = ({ filter: condition, limit }: KeysetQuery) =>
    findBoth(ctx, filters, condition, { order: page.order, limit }, snapshot);
  const toMs = ctx.clock.now() + LIST_AHEAD_MS;
  return paginate<Delivery>(find, 'created_at', { ...page, fromMs: logBegin(webhook), toMs });
}

/** No delivery of a webhook is older (epoch ms): its first event may come from a process whose clock is behind. */
function logBegin({ created_at }: Webhook): number {
  return created_at.getTime() - LIST_AHEAD_MS;
}

/** What is not finished and what is, in one order. */
async function findBoth(
  ctx: Context,
  filters: Found,
  condition: Record<string, unknown>,
  { order, limit }: { order: Order; limit: number },
  session: ClientSession,
): Promise<Delivery[]> {
  const direction = order === 'desc' ? -1 : 1;
  const options = { session, limit, sort: { created_at: direction, _id: direction } as const };
  const queued = filters.queued
    ? await queuedDeliveryRows(ctx)
        .find({ ...filters.queued, ...condition }, options)
        .toArray()
    : [];
  const done = filters.done
    ? await deliveryRows(ctx)
        .find({ ...filters.done, ...condition }, options)
        .toArray()
    : [];
  return [...queued.map(logOfQueued), ...done]
    .toSorted((a, b) => direction * compareDeliveries(a, b))
    .slice(0, limit);
}

/** Compares deliveries in the order of the log: by `created_at`, then id. */
function compareDeliveries(a: Delivery, b: Delivery): number {
  const apart = a.created_at.getTime() - b.created_at.getTime();
  if (apart !== 0) return apart;
  return a._id < b._id ? -1 : 1;
}
