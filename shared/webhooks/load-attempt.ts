import type { Context } from '../context.ts';
import { raw } from '../mongo.ts';
import type { QueuedDelivery, Webhook } from './model.ts';

export interface LoadedAttempt {
  queued: QueuedDelivery | undefined;
  webhook: Webhook | undefined;
  event: EventToSend | undefined;
}

interface EventToSend {
  _id: string;
  body: string;
  created_at: Date;
}

/** `queued` with what its ids name: none or one of each. */
interface FoundAttempt extends QueuedDelivery {
  webhooks: Webhook[];
  events: EventToSend[];
}

export type Verdict =
  | { kind: 'nothing'; queued: null }
  | { kind: 'later'; notBeforeMs: number }
  | { kind: 'hold' | 'cancel'; queued: QueuedDelivery }
  | { kind: 'send'; queued: QueuedDelivery; webhook: Webhook; event: EventToSend };

/** What an attempt needs, as it is now. Look-ups that wait together share one query. */
export async function loadAttempt(ctx: Context, deliveryId: string): Promise<LoadedAttempt> {
  return ctx.lanes.submit('attempts', deliveryId, {
    maxWeight: 50,
    weigh: () => 1,
    gatherMs: 4,
    run: async (deliveryIds) => {
      const found = new Map((await findAttempts(ctx, deliveryIds)).map((row) => [row.queued?._id, row]));
      return deliveryIds.map((id) => found.get(id) ?? NOTHING);
    },
  });
}

const NOTHING: LoadedAttempt = { queued: undefined, webhook: undefined, event: undefined };

async function findAttempts(ctx: Context, deliveryIds: readonly string[]): Promise<LoadedAttempt[]> {
  const rows = await raw(ctx.db.queuedDeliveries)
    .aggregate<FoundAttempt>([
      { $match: { _id: { $in: [...new Set(deliveryIds)] } } },
      lookUp('webhooks', ctx.db.webhooks.collection.name, 'webhook_id'),
      lookUp('events', ctx.db.events.collection.name, 'event_id'),
      { $project: { 'events.data': 0 } },
    ])
    .toArray();
  return rows.map(({ webhooks: [webhook], events: [event], ...queued }) => ({ queued, webhook, event }));
}

function lookUp(as: string, from: string, localField: string) {
  return { $lookup: { from, localField, foreignField: '_id', as } };
}

/** What is to be done about a delivery. Pure. */
export function decide({ queued, webhook, event }: LoadedAttempt, nowMs: number): Verdict {
  if (queued?.state !== 'pending') return { kind: 'nothing', queued: null };
  if (!webhook || !event) return { kind: 'cancel', queued };
  if (webhook.status === 'failing') return { kind: 'hold', queued };
  if (queued.at > nowMs) return { kind: 'later', notBeforeMs: queued.at };
  return { kind: 'send', queued, webhook, event };
}
