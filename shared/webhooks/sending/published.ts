import type { Context } from '../../platform/context/context.ts';
import { hear } from '../../platform/context/hear.ts';
import { perContext } from '../../platform/context/per-context.ts';
import { deliverWebhookJob } from '../deliveries/jobs.ts';
import { type PublishedDelivery, publishedDeliveries } from '../deliveries/published.ts';

/** How long what was published stands for the store. */
const FRESH_MS = 1_000;

/** Hears what commits publish beside their wake-ups, until the returned function is called. Nothing depends on it (ADR 0073). */
export function listen(ctx: Context): () => void {
  return hear(ctx, deliverWebhookJob, (message) => keep(ctx, message));
}

/** A delivery that was published within the last second. It is given once, so that a second try asks the store. */
export function takePublished(ctx: Context, deliveryId: string): PublishedDelivery | null {
  const heard = heardBy(ctx);
  const found = heard.get(deliveryId);
  heard.delete(deliveryId);
  return found && performance.now() - found.atMs < FRESH_MS ? found.row : null;
}

/** In the order of hearing. */
type Heard = Map<string, { row: PublishedDelivery; atMs: number }>;

const heardBy = perContext((): Heard => new Map());

function keep(ctx: Context, message: string): void {
  const published = publishedDeliveries.safeParse(JSON.parse(message));
  if (!published.success) return;
  const heard = heardBy(ctx);
  const atMs = performance.now();
  for (const [id, known] of heard) {
    if (atMs - known.atMs < FRESH_MS) break;
    heard.delete(id);
  }
  for (const row of published.data) heard.set(row._id, { row, atMs });
}
