import type { ClientSession } from 'mongoose';
import { recordAudit } from '../audit/record-audit.ts';
import { dateAt, isoTime } from '../clock.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { inTransaction, raw } from '../mongo.ts';
import { setDrain } from './mark-failing.ts';
import { type Delivery, POSITIONS_PER_MS, type QueuedDelivery, type Webhook } from './model.ts';
import { nextRoundOf } from './plan-deliveries.ts';
import { replaceQueued } from './record-outcome.ts';

/** As long as a delivery's event is kept by default. */
const LONGEST_MS = 30 * 86_400_000;
const MOVED_AT_ONCE = 200;

/**
 * Sends again, in order, what was given up since a moment (epoch ms): moved to what is held, which the drain sends at most
 * 100 a second, once the webhook delivers. Returns how many. Repeating it finds what is left. Throws `invalid_request`
 * for more than 30 days back.
 */
export async function recoverDeliveries(ctx: Context, webhook: Webhook, sinceMs: number): Promise<number> {
  const nowMs = ctx.clock.now();
  if (sinceMs < nowMs - LONGEST_MS || sinceMs > nowMs) {
    const errors = [{ pointer: '/since', detail: 'must lie within the last 30 days' }];
    throw new DomainError('invalid_request', 'since must lie within the last 30 days.', { errors });
  }
  let queued = 0;
  for (;;) {
    const moved = await inTransaction(ctx.db, (transaction) => moveSome(ctx, webhook, sinceMs, transaction));
    queued += moved;
    if (moved < MOVED_AT_ONCE) break;
  }
  await inTransaction(ctx.db, async (transaction) => {
    if (queued > 0) await setDrain(ctx, webhook._id, transaction);
    const details = { webhook_id: webhook._id, since: isoTime(sinceMs), queued };
    await recordAudit(ctx, { action: 'webhook.recover', org_id: webhook.org_id, details }, transaction);
  });
  return queued;
}

async function moveSome(
  ctx: Context,
  webhook: Webhook,
  sinceMs: number,
  transaction: ClientSession,
): Promise<number> {
  const options = { session: transaction };
  const found = await raw(ctx.db.deliveries)
    .find(
      { webhook_id: webhook._id, status: 'exhausted', created_at: { $gte: dateAt(sinceMs) } },
      { ...options, sort: { created_at: 1, _id: 1 }, limit: MOVED_AT_ONCE },
    )
    .toArray();
  if (found.length === 0) return 0;
  const events = await raw(ctx.db.events)
    .find({ _id: { $in: found.map(({ event_id }) => event_id) } }, options)
    .toArray();
  const bodies = new Map(events.map(({ _id, body }) => [_id, body]));
  const ids = found.map(({ _id }) => _id);
  await raw(ctx.db.deliveries).deleteMany({ _id: { $in: ids } }, options);
  // Its event was purged at this moment: there is nothing left to send.
  const held = found.flatMap((delivery) => {
    const body = bodies.get(delivery.event_id);
    return body === undefined ? [] : [heldAgain(delivery, body)];
  });
  await replaceQueued(ctx, held, transaction);
  return found.length;
}

function heldAgain(delivery: Delivery, body: string): QueuedDelivery {
  const { status: _status, next_attempt_at: _next, ...logged } = delivery;
  const position = delivery.created_at.getTime() * POSITIONS_PER_MS;
  return { ...logged, body, state: 'held', at: position, position, ...nextRoundOf(delivery) };
}
