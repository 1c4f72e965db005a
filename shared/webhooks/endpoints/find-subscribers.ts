import type { ClientSession } from 'mongoose';
import type { Context } from '../../platform/context/context.ts';
import { type Webhook, webhookRows } from './model.ts';

/** What planning the deliveries of an event asks of a webhook. */
export type Subscriber = Pick<Webhook, '_id' | 'events' | 'enabled' | 'status' | 'revision'>;

/** The webhooks of an organization. One indexed read. */
export async function findSubscribers(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
): Promise<Subscriber[]> {
  return webhookRows(ctx)
    .find({ org_id: orgId }, { session: transaction })
    .project<Subscriber>({ events: 1, enabled: 1, status: 1, revision: 1 })
    .toArray();
}
