import { isStoreError } from '../../platform/basics/errors.ts';
import { within } from '../../platform/basics/within.ts';
import { boundedCache } from '../../platform/context/cache.ts';
import type { Context } from '../../platform/context/context.ts';
import { onShard } from '../../platform/mongo/on-shard.ts';

import { queuedDeliveryRows } from '../deliveries/model.ts';
import { isPaused, type Webhook, webhookRows } from '../endpoints/model.ts';
import { DUE_FIELDS, type DueDelivery, type LoadedAttempt } from './decide-attempt.ts';
import { takePublished } from './published.ts';

/** Which delivery, and of which webhook. */
export interface DueIds {
  deliveryId: string;
  webhookId: string;
  /** It was published beside its wake-up, so that what is to be sent may be known. */
  published?: boolean;
}

/** Reading takes a few milliseconds. A connection that has gone dark is given up after this. */
const READ_DEADLINE_MS = 5_000;

/** What an attempt needs: as it was published a moment ago, or as it is now. Throws a store error within 10 s. */
export async function loadAttempt(ctx: Context, ids: DueIds): Promise<LoadedAttempt> {
  const published = ids.published ? takePublished(ctx, ids.deliveryId) : null;
  const webhook = activeWebhooks(ctx).get(ids.webhookId);
  if (published && webhook && webhook.revision === published.revision)
    return { queued: { ...published, state: 'pending', round: 1, attempt: 1 }, webhook };
  const loaded = await readAttempt(ctx, ids);
  remember(ctx, ids.webhookId, loaded.webhook);
  return loaded;
}

/**
 * Webhooks as this process last read them, if they were not paused. One is used only for what was planned a moment ago,
 * by a transaction that saw the same revision of it.
 */
const activeWebhooks = boundedCache<string, Webhook>({ max: 10_000 });

function remember(ctx: Context, webhookId: string, webhook: Webhook | undefined): void {
  if (webhook && !isPaused(webhook)) activeWebhooks(ctx).set(webhookId, webhook);
  else activeWebhooks(ctx).delete(webhookId);
}

/**
 * Look-ups that wait together share two queries. When these do not come, each webhook asks once more for itself, so that
 * no webhook waits for another one's connection.
 */
async function readAttempt(ctx: Context, ids: DueIds): Promise<LoadedAttempt> {
  try {
    return await submitRead(ctx, 'attempts', ids);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return submitRead(ctx, `attempts ${ids.webhookId}`, ids);
  }
}

function submitRead(ctx: Context, key: string, ids: DueIds): Promise<LoadedAttempt> {
  return ctx.batcher.submit(key, ids, {
    maxWeight: 50,
    weigh: () => 1,
    lingerMs: 4,
    lingerFrom: 8,
    run: (attempts) => within(READ_DEADLINE_MS, 'Reading what is due', readTogether(ctx, attempts)),
  });
}

async function readTogether(ctx: Context, attempts: readonly DueIds[]): Promise<LoadedAttempt[]> {
  const webhookIds = anyOf(attempts.map((each) => each.webhookId));
  const due = onShard(
    ctx,
    { _id: anyOf(attempts.map((each) => each.deliveryId)) },
    { webhook_id: webhookIds },
  );
  const theirs = { _id: webhookIds };
  const [queued, webhooks] = await Promise.all([
    findAll(queuedDeliveryRows(ctx).find(due).project<DueDelivery>(DUE_FIELDS)),
    findAll(webhookRows(ctx).find(theirs)),
  ]);
  return attempts.map(({ deliveryId, webhookId }) => ({
    queued: queued.get(deliveryId),
    webhook: webhooks.get(webhookId),
  }));
}

function anyOf(ids: readonly string[]): { $in: string[] } {
  return { $in: [...new Set(ids)] };
}

async function findAll<Row extends { _id: string }>(found: {
  toArray(): Promise<Row[]>;
}): Promise<Map<string, Row>> {
  return new Map((await found.toArray()).map((row) => [row._id, row]));
}
