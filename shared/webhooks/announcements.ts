import { z } from 'zod';
import type { Context } from '../context.ts';
import { perContext } from '../per-context.ts';
import { connectQueues } from '../redis/connect.ts';
import type { QueuedDelivery } from './model.ts';

/** How long an announcement stands for the store. */
const FRESH_MS = 1_000;
/** Of what one wake-up brings, in characters; what is longer is read. */
const MESSAGE_AT_MOST = 64 * 1_024;

const announcedDeliveries = z.array(
  z.strictObject({
    _id: z.string(),
    event_id: z.string(),
    body: z.string(),
    at: z.number(),
    webhook_revision: z.number().optional(),
  }),
);

/** A first attempt as its transaction planned it. */
export type AnnouncedDelivery = z.output<typeof announcedDeliveries>[number];

/**
 * Tells the workers what a transaction has planned, before their wake-up and on the same connection, by Redis' publish:
 * nothing is kept and nothing waits for a disk. Who does not hear it reads the rows; nothing depends on it (ADR 0073).
 */
export function announce(ctx: Context, planned: readonly QueuedDelivery[]): void {
  for (const together of Map.groupBy(planned, ({ wake }) => wake).values()) {
    const message = JSON.stringify(together.map(announcementOf));
    if (message.length <= MESSAGE_AT_MOST)
      ctx.redis.queues.publish(channelOf(ctx), message).catch(() => undefined);
  }
}

function announcementOf(queued: QueuedDelivery): AnnouncedDelivery {
  const { _id, event_id, body, at, webhook_revision } = queued;
  return { _id, event_id, body, at, ...(webhook_revision === undefined ? {} : { webhook_revision }) };
}

/** Hears what is announced until it is stopped. */
export function listen(ctx: Context): () => void {
  const subscriber = connectQueues(ctx.config, 'worker');
  subscriber.on('message', (_channel, message) => hear(ctx, message));
  subscriber
    .subscribe(channelOf(ctx))
    .catch((error: unknown) => ctx.log.debug({ err: error }, 'announcements are not heard'));
  return () => subscriber.disconnect();
}

/** What was announced of a delivery within the last second; once, so that whoever tries again asks the store. */
export function takeAnnounced(ctx: Context, deliveryId: string): AnnouncedDelivery | null {
  const heard = heardBy(ctx);
  const found = heard.get(deliveryId);
  heard.delete(deliveryId);
  return found && performance.now() - found.atMs < FRESH_MS ? found.row : null;
}

/** In the order of hearing. */
type Heard = Map<string, { row: AnnouncedDelivery; atMs: number }>;

const heardBy = perContext((): Heard => new Map());

function hear(ctx: Context, message: string): void {
  const announced = announcedDeliveries.safeParse(JSON.parse(message));
  if (!announced.success) return;
  const heard = heardBy(ctx);
  const atMs = performance.now();
  for (const [id, known] of heard) {
    if (atMs - known.atMs < FRESH_MS) break;
    heard.delete(id);
  }
  for (const row of announced.data) heard.set(row._id, { row, atMs });
}

function channelOf(ctx: Context): string {
  return `${ctx.queues.prefix}:planned-deliveries`;
}
