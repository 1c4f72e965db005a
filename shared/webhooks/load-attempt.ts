import type { Context } from '../context.ts';
import { raw } from '../mongo.ts';
import { perContext } from '../per-context.ts';
import { takeAnnounced } from './announcements.ts';
import { holdsDeliveries, type QueuedDelivery, type Webhook } from './model.ts';

/** Which delivery, and of which webhook. */
export interface DueIds {
  deliveryId: string;
  webhookId: string;
  /** It was announced with its wake-up (`announcements.ts`): what it is may be known. */
  announced?: boolean;
  /** Whatever its row says. */
  isDueNow?: boolean;
}

const DUE_FIELDS = { event_id: 1, body: 1, state: 1, at: 1, round: 1, attempt: 1 } as const;
type DueDelivery = Pick<QueuedDelivery, '_id' | keyof typeof DUE_FIELDS>;

export interface LoadedAttempt {
  queued: DueDelivery | undefined;
  webhook: Webhook | undefined;
}

export type Verdict =
  | { kind: 'nothing'; queued: null }
  | { kind: 'later'; notBeforeMs: number }
  | { kind: 'hold' | 'cancel'; queued: DueDelivery }
  | { kind: 'send'; queued: DueDelivery; webhook: Webhook };

/** What an attempt needs: as it was announced a moment ago, or as it is now. */
export async function loadAttempt(ctx: Context, ids: DueIds): Promise<LoadedAttempt> {
  const announced = ids.announced ? takeAnnounced(ctx, ids.deliveryId) : null;
  const webhook = activeWebhooks(ctx).get(ids.webhookId);
  if (announced && webhook && announced.webhook_revision === webhook.revision)
    return { queued: { ...announced, state: 'pending', round: 1, attempt: 1 }, webhook };
  const loaded = await readAttempt(ctx, ids);
  remember(ctx, ids.webhookId, loaded.webhook);
  return loaded;
}

const REMEMBERED_AT_MOST = 10_000;

/**
 * Webhooks as this process last read them, if they delivered then. That nothing of them has changed, a delivery says that
 * was planned a moment ago and names the same revision.
 */
const activeWebhooks = perContext(() => new Map<string, Webhook>());

function remember(ctx: Context, webhookId: string, webhook: Webhook | undefined): void {
  const known = activeWebhooks(ctx);
  known.delete(webhookId);
  if (!webhook || holdsDeliveries(webhook)) return;
  known.set(webhookId, webhook);
  const [oldest = ''] = known.size > REMEMBERED_AT_MOST ? known.keys() : [];
  known.delete(oldest);
}

/** Look-ups that wait together share two queries, which run side by side. */
async function readAttempt(ctx: Context, ids: DueIds): Promise<LoadedAttempt> {
  return ctx.lanes.submit('attempts', ids, {
    maxWeight: 50,
    weigh: () => 1,
    gatherMs: 4,
    gatherFrom: 8,
    run: async (attempts) => {
      const due = { _id: anyOf(attempts.map((each) => each.deliveryId)) };
      const theirs = { _id: anyOf(attempts.map((each) => each.webhookId)) };
      const [queued, webhooks] = await Promise.all([
        findAll(raw(ctx.db.queuedDeliveries).find(due).project<DueDelivery>(DUE_FIELDS)),
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
  if (holdsDeliveries(webhook)) return { kind: 'hold', queued };
  if (queued.at > nowMs) return { kind: 'later', notBeforeMs: queued.at };
  return { kind: 'send', queued, webhook };
}
