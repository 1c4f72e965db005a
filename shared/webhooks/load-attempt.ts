import type { Context } from '../context.ts';
import { raw } from '../mongo.ts';
import type { JobOf } from '../queues.ts';
import type { QueuedDelivery, Webhook } from './model.ts';

export type DeliveryIds = JobOf<'deliver-webhook'>;

export interface LoadedAttempt {
  queued: QueuedDelivery | undefined;
  webhook: Webhook | undefined;
  event: { _id: string; body: string; created_at: Date } | undefined;
}

export type Verdict =
  | { kind: 'nothing'; queued: null }
  | { kind: 'later'; notBeforeMs: number }
  | { kind: 'hold' | 'cancel'; queued: QueuedDelivery }
  | { kind: 'send'; queued: QueuedDelivery; webhook: Webhook; event: NonNullable<LoadedAttempt['event']> };

/** What an attempt needs, as it is now. Look-ups that wait together share one query a collection. */
export async function loadAttempt(ctx: Context, ids: DeliveryIds): Promise<LoadedAttempt> {
  const [queued, webhook, event] = await Promise.all([
    ctx.lanes.submit('queued-deliveries', ids.delivery_id, {
      ...LOOK_UPS,
      run: (keys) => findById(keys, (unique) => raw(ctx.db.queuedDeliveries).find(byId(unique)).toArray()),
    }),
    ctx.lanes.submit('webhooks', ids.webhook_id, {
      ...LOOK_UPS,
      run: (keys) => findById(keys, (unique) => raw(ctx.db.webhooks).find(byId(unique)).toArray()),
    }),
    ctx.lanes.submit('event-bodies', ids.event_id, {
      ...LOOK_UPS,
      run: (keys) => findById(keys, (unique) => findBodies(ctx, unique)),
    }),
  ]);
  return { queued, webhook, event };
}

/** What is to be done about a delivery. Pure. */
export function decide({ queued, webhook, event }: LoadedAttempt, nowMs: number): Verdict {
  if (queued?.state !== 'pending') return { kind: 'nothing', queued: null };
  if (!webhook || !event) return { kind: 'cancel', queued };
  if (webhook.status === 'failing') return { kind: 'hold', queued };
  if (queued.at > nowMs) return { kind: 'later', notBeforeMs: queued.at };
  return { kind: 'send', queued, webhook, event };
}

const LOOK_UPS = { maxWeight: 200, weigh: () => 1 };

function byId(ids: string[]) {
  return { _id: { $in: ids } };
}

async function findById<Row extends { _id: string }>(
  ids: readonly string[],
  find: (unique: string[]) => Promise<Row[]>,
): Promise<(Row | undefined)[]> {
  const rows = new Map((await find([...new Set(ids)])).map((row) => [row._id, row]));
  return ids.map((id) => rows.get(id));
}

async function findBodies(ctx: Context, ids: string[]): Promise<NonNullable<LoadedAttempt['event']>[]> {
  const events = await raw(ctx.db.events)
    .find(byId(ids), { projection: { body: 1, created_at: 1 } })
    .toArray();
  return events.flatMap(({ _id, body, created_at }) =>
    body === undefined ? [] : [{ _id, body, created_at }],
  );
}
