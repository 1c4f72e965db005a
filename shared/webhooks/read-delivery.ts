import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { raw } from '../mongo.ts';
import { type Delivery, viewOfQueued, type Webhook } from './model.ts';

/** A delivery and the body that it sends, byte for byte. Throws `not_found`. */
export async function readDelivery(
  ctx: Context,
  webhook: Webhook,
  deliveryId: string,
): Promise<{ delivery: Delivery; body: string }> {
  const queued = await raw(ctx.db.queuedDeliveries).findOne({ _id: deliveryId });
  if (queued?.webhook_id === webhook._id) return { delivery: viewOfQueued(queued), body: queued.body };
  const delivery = await raw(ctx.db.deliveries).findOne({ _id: deliveryId });
  const event = delivery && (await raw(ctx.db.events).findOne({ _id: delivery.event_id }));
  if (delivery?.webhook_id !== webhook._id || event?.body === undefined)
    throw new DomainError('not_found', 'There is no such delivery.');
  return { delivery, body: event.body };
}

/** What its last attempt sent, without the signatures: they are worth as much as the secret for a while. */
export function requestHeaders({ event_id, attempts }: Delivery): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'usage-governor-webhooks/1',
    'webhook-id': event_id,
    'x-service-attempt': String(attempts.at(-1)?.number ?? 1),
  };
}
