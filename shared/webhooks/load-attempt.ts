import type { Context } from '../context.ts';
import { raw } from '../mongo.ts';
import type { QueuedDelivery, Webhook } from './model.ts';

/** Which delivery, and of which webhook. */
export interface DeliveryIds {
  deliveryId: string;
  webhookId: string;
}

/** Without the attempts so far: their answers may be long. */
type DueDelivery = Omit<QueuedDelivery, 'attempts'>;

export interface LoadedAttempt {
  queued: DueDelivery | undefined;
  webhook: Webhook | undefined;
}

export type Verdict =
  | { kind: 'nothing'; queued: null }
  | { kind: 'later'; notBeforeMs: number }
  | { kind: 'hold' | 'cancel'; queued: DueDelivery }
  | { kind: 'send'; queued: DueDelivery; webhook: Webhook };

/** What an attempt needs, as it is now. Look-ups that wait together share two queries, which run side by side. */
export async function loadAttempt(ctx: Context, ids: DeliveryIds): Promise<LoadedAttempt> {
  return ctx.lanes.submit('attempts', ids, {
    maxWeight: 50,
    weigh: () => 1,
    gatherMs: 4,
    gatherFrom: 8,
    run: async (attempts) => {
      const due = { _id: anyOf(attempts.map((each) => each.deliveryId)) };
      const theirs = { _id: anyOf(attempts.map((each) => each.webhookId)) };
      const [queued, webhooks] = await Promise.all([
        findAll(raw(ctx.db.queuedDeliveries).find(due).project<DueDelivery>({ attempts: 0 })),
        findAll(raw(ctx.db.webhooks).find(theirs)),
      ]);
      return attempts.map(({ deliveryId, webhookId }) => ({
        queued: queued.get(deliveryId),
        webhook: webhooks.get(webhookId),
      }));
    },
  });
}

function anyOf(ids: readonly string[]): { $in: string[] } {
  return { $in: [...new Set(ids)] };
}

async function findAll<Row extends { _id: string }>(found: {
  toArray(): Promise<Row[]>;
}): Promise<Map<string, Row>> {
  return new Map((await found.toArray()).map((row) => [row._id, row]));
}

/** What is to be done about a delivery. Pure. */
export function decide({ queued, webhook }: LoadedAttempt, nowMs: number): Verdict {
  if (queued?.state !== 'pending') return { kind: 'nothing', queued: null };
  if (!webhook) return { kind: 'cancel', queued };
  if (webhook.status === 'failing') return { kind: 'hold', queued };
  if (queued.at > nowMs) return { kind: 'later', notBeforeMs: queued.at };
  return { kind: 'send', queued, webhook };
}
