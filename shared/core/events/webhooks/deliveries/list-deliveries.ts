import type { ClientSession } from 'mongoose';
import type { EventType } from '../../../../platform/basics/contract.ts';
import {
  type Counts,
  countUpTo,
  type KeysetQuery,
  LIST_AHEAD_MS,
  type Listed,
  type ListPage,
  paginate,
} from '../../../../platform/basics/paginate.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { countLimit, firstSpan } from '../../../../platform/mongo/embedded-ranges.ts';
import { inRange } from '../../../../platform/mongo/list-rows.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import type { Webhook } from '../endpoints/model.ts';
import {
  type Delivery,
  type DeliveryStatus,
  deliveryRows,
  logOfQueued,
  queuedDeliveryRows,
} from './model.ts';

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  type?: EventType | undefined;
}

/**
 * One page of a webhook's log, ordered by (`created_at`, id). Counts only when `total` is not known. One snapshot, so
 * that a delivery which is finished meanwhile is seen once.
 */
export async function listDeliveries(
  ctx: Context,
  webhook: Webhook,
  filter: DeliveryFilter,
  page: ListPage,
): Promise<Listed<Delivery>> {
  const filters = filtersOf(webhook, filter);
  // Nothing is older than that: the first event may come from a process whose clock is behind.
  const fromMs = webhook.created_at.getTime() - LIST_AHEAD_MS;
  const range = { fromMs, toMs: ctx.clock.now() + LIST_AHEAD_MS };
  const whole = { ...page, ...range, ...firstSpan(ctx.db, range) };
  return inTransaction(ctx.db, async (snapshot) => {
    const find = (query: KeysetQuery) => findBoth(ctx, filters, query, snapshot);
    const found = await paginate<Delivery>(find, 'created_at', whole);
    const countIn =
      (some: Filters, limit: { limit?: number } = {}) =>
      (within: typeof range) =>
        countBoth(ctx, some, inRange('created_at', within), { ...limit, session: snapshot });
    const ofAnyType = filtersOf(webhook, { status: filter.status });
    const counts: Counts = {
      indexed: countIn(ofAnyType, countLimit(ctx.db)),
      filtered: filter.type ? countIn(filters) : null,
    };
    return { ...found, total: page.total ?? (await countUpTo(counts, 'created_at', whole, found)) };
  });
}

type Filters = ReturnType<typeof filtersOf>;

/** A delivery is in one collection while it is not finished and in another afterwards; null where none can match. */
function filtersOf(webhook: Webhook, { status, type }: DeliveryFilter) {
  const both = { webhook_id: webhook._id, ...(type ? { type } : {}) };
  if (status === undefined) return { queued: both, done: both };
  const isQueued = status === 'pending' || status === 'held' || status === 'collected';
  return isQueued
    ? { queued: { ...both, state: status }, done: null }
    : { queued: null, done: { ...both, status } };
}

async function countBoth(
  ctx: Context,
  { queued, done }: Filters,
  range: Record<string, unknown>,
  options: { session: ClientSession; limit?: number },
): Promise<number> {
  const rows = { queued: queuedDeliveryRows(ctx), done: deliveryRows(ctx) };
  const unfinished = queued ? await rows.queued.countDocuments({ ...queued, ...range }, options) : 0;
  return unfinished + (done ? await rows.done.countDocuments({ ...done, ...range }, options) : 0);
}

/** Finds unfinished and finished deliveries, in one order. */
async function findBoth(
  ctx: Context,
  { queued, done }: Filters,
  { filter, sort, limit }: KeysetQuery,
  session: ClientSession,
): Promise<Delivery[]> {
  const options = { session, limit, sort };
  const unfinished = queued
    ? await queuedDeliveryRows(ctx)
        .find({ ...queued, ...filter }, options)
        .toArray()
    : [];
  const finished = done
    ? await deliveryRows(ctx)
        .find({ ...done, ...filter }, options)
        .toArray()
    : [];
  return [...unfinished.map(logOfQueued), ...finished]
    .toSorted((a, b) => (sort.created_at ?? 1) * compare(a, b))
    .slice(0, limit);
}

/** In the order of the log: by `created_at`, then id. */
function compare(a: Delivery, b: Delivery): number {
  const apart = a.created_at.getTime() - b.created_at.getTime();
  if (apart !== 0) return apart;
  return a._id < b._id ? -1 : 1;
}
