import type { ClientSession } from 'mongoose';
import type { Context } from '../context.ts';
import type { EventType } from '../contract.ts';
import { inTransaction, raw } from '../mongo.ts';
import { type Order, type Position, walkPage } from '../walk.ts';
import { type Delivery, type DeliveryStatus, viewOfQueued, type Webhook } from './model.ts';

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  type?: EventType | undefined;
}

interface DeliveryPage {
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
  page: DeliveryPage & { total: number | null },
): Promise<{ rows: Delivery[]; hasMore: boolean; last: Position | null; total: number }> {
  return inTransaction(ctx.db, async (snapshot) => {
    const walked = await walk(ctx, webhook, filter, page, snapshot);
    return { ...walked, total: page.total ?? (await countDeliveries(ctx, webhook, filter, snapshot)) };
  });
}

export async function lastDelivery(ctx: Context, webhook: Webhook): Promise<Delivery | null> {
  const { rows } = await inTransaction(ctx.db, (snapshot) =>
    walk(ctx, webhook, {}, { order: 'desc', limit: 1, after: null }, snapshot),
  );
  return rows[0] ?? null;
}

type Condition = Record<string, unknown>;

/** What of one collection matches a filter: what an index holds, and the rest. */
interface Part {
  indexed: Condition;
  rest: Condition;
}

/** A filter as each of the two collections takes it; null where nothing of it can be. What waits is little. */
function partsOf({ status, type }: DeliveryFilter): { queued: Part | null; done: Part | null } {
  const typed = type === undefined ? {} : { type };
  if (status === undefined)
    return { queued: { indexed: {}, rest: typed }, done: { indexed: typed, rest: {} } };
  if (status === 'pending' || status === 'held')
    return { queued: { indexed: {}, rest: { ...typed, state: status } }, done: null };
  return { queued: null, done: { indexed: { status }, rest: typed } };
}

/** What one index holds whole is a stage of its own (docs/stores.md). */
function matchStages(webhookId: string, { indexed, rest }: Part, at: Condition): Condition[] {
  const first = { $match: { webhook_id: webhookId, ...indexed, ...at } };
  return Object.keys(rest).length === 0 ? [first] : [first, { $match: rest }];
}

async function countDeliveries(
  ctx: Context,
  webhook: Webhook,
  filter: DeliveryFilter,
  session: ClientSession,
): Promise<number> {
  const { queued, done } = partsOf(filter);
  const stagesOf = (part: Part) => [
    ...matchStages(webhook._id, part, {}),
    { $group: { _id: 1, n: { $sum: 1 } } },
  ];
  const unfinished = queued
    ? await raw(ctx.db.queuedDeliveries).aggregate<{ n: number }>(stagesOf(queued), { session }).toArray()
    : [];
  const finished = done
    ? await raw(ctx.db.deliveries).aggregate<{ n: number }>(stagesOf(done), { session }).toArray()
    : [];
  return (unfinished[0]?.n ?? 0) + (finished[0]?.n ?? 0);
}

function walk(
  ctx: Context,
  webhook: Webhook,
  filter: DeliveryFilter,
  page: DeliveryPage,
  snapshot: ClientSession,
): ReturnType<typeof walkPage<Delivery>> {
  const find = (at: Condition, limit: number) =>
    findBoth(ctx, webhook, filter, at, { order: page.order, limit, session: snapshot });
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
  webhook: Webhook,
  filter: DeliveryFilter,
  at: Condition,
  { order, limit, session }: { order: Order; limit: number; session: ClientSession },
): Promise<Delivery[]> {
  const direction = order === 'desc' ? -1 : 1;
  const { queued, done } = partsOf(filter);
  const stagesOf = (part: Part) => [
    ...matchStages(webhook._id, part, at),
    { $sort: { created_at: direction, _id: direction } },
    { $limit: limit },
  ];
  const waiting = queued
    ? await raw(ctx.db.queuedDeliveries)
        .aggregate<Parameters<typeof viewOfQueued>[0]>(stagesOf(queued), { session })
        .toArray()
    : [];
  const finished = done
    ? await raw(ctx.db.deliveries).aggregate<Delivery>(stagesOf(done), { session }).toArray()
    : [];
  const all = [...waiting.map(viewOfQueued), ...finished];
  return all.toSorted((a, b) => direction * compare(a, b)).slice(0, limit);
}

function compare(a: Delivery, b: Delivery): number {
  const apart = a.created_at.getTime() - b.created_at.getTime();
  if (apart !== 0) return apart;
  return a._id < b._id ? -1 : 1;
}
