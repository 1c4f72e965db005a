import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { findByIds } from '../../../../platform/mongo/find-by-ids.ts';
import { eventRows } from '../../record/model.ts';
import { endOfQuiet } from '../endpoints/delivery-time.ts';
import { isChannel, type Webhook } from '../endpoints/model.ts';
import type { Collected } from '../messages/describe-event.ts';
import { deliveryRows, type QueuedDelivery, queuedDeliveryRows } from './model.ts';

/** How long the first anomaly of a channel waits for others, and the next ones after a message. Milliseconds. */
const FIRST_WAITS_MS = 30_000;
const NEXT_WAIT_MS = 300_000;
/** Messages about one session within any hour, at most. */
const PER_SESSION = { messages: 2, withinMs: 3_600_000 } as const;

/** A message about anomalies that a channel has got: when it was made (epoch ms), and the sessions in it. */
export interface ToldAnomalies {
  atMs: number;
  sessions: ReadonlySet<string>;
}

/** Returns true when these collected deliveries are anomalies that a channel without a digest has waited for. */
export function areAnomalies(rows: readonly QueuedDelivery[], webhook: Webhook): boolean {
  return (
    isChannel(webhook) && webhook.digest === 'none' && rows.every(({ type }) => type === 'anomaly.detected')
  );
}

/**
 * Divides the anomalies that a channel waits for: `taken` are those of a message now, and `later` is when each of the others is
 * due, in epoch ms. Pure.
 */
export function decideAnomalies(
  waiting: readonly QueuedDelivery[],
  told: readonly ToldAnomalies[],
  { nowMs, timeScale, quiet_hours }: { nowMs: number; timeScale: number } & Pick<Webhook, 'quiet_hours'>,
): { taken: QueuedDelivery[]; later: Map<QueuedDelivery, number> } {
  const lasting = (ms: number) => Math.ceil(ms / timeScale);
  const freeMs = new Map(waiting.map((row) => [row, freeFrom(row, told, lasting(PER_SESSION.withinMs))]));
  const free = waiting.filter((row) => (freeMs.get(row) ?? 0) <= nowMs);
  const firstMs = Math.min(...free.map(({ created_at }) => created_at.getTime()));
  const lastMs = Math.max(...told.map(({ atMs }) => atMs));
  const soonestMs = Math.max(
    free.length === 0 ? 0 : firstMs + lasting(FIRST_WAITS_MS),
    told.length === 0 ? 0 : lastMs + lasting(NEXT_WAIT_MS),
    quiet_hours ? endOfQuiet(quiet_hours, nowMs) : 0,
  );
  const taken = soonestMs <= nowMs ? free : [];
  const others = waiting.filter((row) => !taken.includes(row));
  return { taken, later: new Map(others.map((row) => [row, Math.max(soonestMs, freeMs.get(row) ?? 0)])) };
}

/** When the session of an anomaly may be told of again, epoch ms. */
function freeFrom(row: QueuedDelivery, told: readonly ToldAnomalies[], hourMs: number): number {
  const session = sessionOf(JSON.parse(row.body));
  const times = told.filter(({ sessions }) => sessions.has(session)).map(({ atMs }) => atMs);
  const [nth] = times.toSorted((a, b) => b - a).slice(PER_SESSION.messages - 1);
  return nth === undefined ? 0 : nth + hourMs;
}

function sessionOf({ data }: Pick<Collected, 'data'>): string {
  return String(data.session_id);
}

/** Reads the messages about anomalies that a channel has got within the hour, whether they have arrived or not. */
export async function readTold(
  ctx: Context,
  webhookId: string,
  transaction: ClientSession,
): Promise<ToldAnomalies[]> {
  const since = dateAt(ctx.clock.now() - PER_SESSION.withinMs);
  const digests = { webhook_id: webhookId, created_at: { $gt: since }, type: 'digest' as const };
  const options = { session: transaction, projection: { event_id: 1 } };
  const queued = await queuedDeliveryRows(ctx).find(digests, options).toArray();
  const done = await deliveryRows(ctx).find(digests, options).toArray();
  const ids = [...queued, ...done].map(({ event_id }) => event_id);
  const events = await findByIds(eventRows(ctx), ids, transaction);
  return events.flatMap(({ body, created_at }) => {
    const { data } = JSON.parse(body) as { data: { about?: string; events: Collected[] } };
    const sessions = new Set(data.events.map(sessionOf));
    return data.about === 'anomalies' ? [{ atMs: created_at.getTime(), sessions }] : [];
  });
}
