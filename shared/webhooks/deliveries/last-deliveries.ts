import { type Event, eventRows } from '../../events/model.ts';
import { EVENT_TYPES, type EventType } from '../../platform/basics/contract.ts';
import { derivedId } from '../../platform/basics/ids.ts';
import { type KeysetQuery, LIST_AHEAD_MS, paginate } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { onShard } from '../../platform/mongo/on-shard.ts';
import { daysBefore } from '../../platform/mongo/retention.ts';
import type { Webhook } from '../endpoints/model.ts';
import { compareDeliveries, lastDelivery, logBegin } from './list-deliveries.ts';
import { type Delivery, deliveryRows, logOfQueued, queuedDeliveryRows } from './model.ts';

/**
 * The newest delivery of each webhook of an organization, by webhook id. It is nearly always that of the newest event of
 * some type, whose deliveries have known ids, so that the number of queries does not grow with the webhooks. Only a
 * webhook that may have got something newer is asked by itself.
 */
export async function findLastDeliveries(
  ctx: Context,
  orgId: string,
  webhooks: readonly Webhook[],
): Promise<Map<string, Delivery>> {
  const sinceMs = Math.min(...webhooks.map(logBegin));
  const newest = (await Promise.all(EVENT_TYPES.map((type) => findNewest(ctx, orgId, type, sinceMs)))).flat();
  const ids = webhooks.flatMap(({ _id }) => newest.map((event) => derivedId('dlv', event._id, _id)));
  const found = Map.groupBy(await findByIds(ctx, webhooks, ids), ({ webhook_id }) => webhook_id);
  const old = await findOldOnes(
    ctx,
    webhooks.filter(({ _id }) => !found.has(_id)),
  );
  const last = await Promise.all(
    webhooks.map(async (webhook) => {
      const own = found.get(webhook._id)?.toSorted(compareDeliveries).at(-1);
      const sinceOwnMs = own?.created_at.getTime() ?? logBegin(webhook);
      const missed = newest.filter(({ created_at }) => created_at.getTime() > sinceOwnMs);
      if (!old.has(webhook._id) && !missed.some((event) => mayHaveEarlierOne(webhook, event))) return own;
      return (await lastDelivery(ctx, webhook)) ?? undefined;
    }),
  );
  return new Map(last.flatMap((delivery) => (delivery ? [[delivery.webhook_id, delivery] as const] : [])));
}

/** Those of these webhooks that have deliveries, where the events of these may be gone already. */
async function findOldOnes(ctx: Context, webhooks: readonly Webhook[]): Promise<ReadonlySet<string>> {
  const goneMs = daysBefore(ctx.clock.now(), ctx.config.eventRetentionDays).getTime();
  const old = webhooks.filter((webhook) => logBegin(webhook) < goneMs).map(({ _id }) => _id);
  if (old.length === 0) return new Set();
  const filter = { webhook_id: { $in: old } };
  const queued = await queuedDeliveryRows(ctx).distinct('webhook_id', filter);
  return new Set([...queued, ...(await deliveryRows(ctx).distinct('webhook_id', filter))]);
}

/** Whether a webhook that did not get this event may have got another of its type. */
function mayHaveEarlierOne(webhook: Webhook, { type, webhook_id }: Event): boolean {
  // What it named before a change is not known.
  if (webhook.revision > 0) return true;
  const { events, alert_at, forecast, digest } = webhook;
  if (webhook_id === undefined) return events.some((named) => named === type);
  return alert_at.length > 0 || forecast || digest !== 'none';
}

async function findNewest(ctx: Context, orgId: string, type: EventType, sinceMs: number): Promise<Event[]> {
  const find = ({ filter, sort, limit }: KeysetQuery) =>
    eventRows(ctx)
      .find({ org_id: orgId, type, ...filter }, { sort, limit })
      .toArray();
  const { rows } = await paginate<Event>(find, 'created_at', {
    order: 'desc',
    fromMs: sinceMs,
    toMs: ctx.clock.now() + LIST_AHEAD_MS,
    after: null,
    limit: 1,
  });
  return rows;
}

/** The unfinished first, so that one which is finished meanwhile is never missed. */
async function findByIds(
  ctx: Context,
  webhooks: readonly Webhook[],
  ids: readonly string[],
): Promise<Delivery[]> {
  if (ids.length === 0) return [];
  const filter = onShard(
    ctx,
    { _id: { $in: [...ids] } },
    { webhook_id: { $in: webhooks.map(({ _id }) => _id) } },
  );
  const queued = await queuedDeliveryRows(ctx).find(filter).toArray();
  const done = await deliveryRows(ctx).find(filter).toArray();
  return [...queued.map(logOfQueued), ...done];
}
