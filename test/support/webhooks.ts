import { eventRows } from '../../shared/core/events/record/model.ts';
import { eventIdOf } from '../../shared/core/events/record/new-event.ts';
import {
  type Delivery,
  deliveryRows,
  logOfQueued,
  type QueuedDelivery,
  queuedDeliveryRows,
} from '../../shared/core/events/webhooks/deliveries/model.ts';
import { planEvents } from '../../shared/core/events/webhooks/deliveries/plan-events.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { findSubscribers } from '../../shared/core/events/webhooks/endpoints/find-subscribers.ts';
import { type Webhook, webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import type { WebhookInput } from '../../shared/core/events/webhooks/endpoints/view.ts';
import type { Envelope } from '../../shared/core/events/webhooks/messages/message.ts';
import { deliver } from '../../shared/core/events/webhooks/sending/deliver.ts';
import { NAMED_EVENT_TYPES, type NamedEventType } from '../../shared/platform/basics/contract.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { commitPlan } from '../../shared/platform/context/commit-plan.ts';
import type { Context } from '../../shared/platform/context/context.ts';

export const SECRET = 'a-secret-of-thirty-two-characters';

/** A webhook that subscribes to every kind of event unless told otherwise. */
export async function makeWebhook(
  ctx: Context,
  orgId: string,
  url: string,
  events: NamedEventType[] = [
    'session.started',
    'session.ended',
    'budget.warning',
    'budget.exceeded',
    'budget.raise_requested',
    'budget.raise_answered',
    'anomaly.detected',
    'signals.held',
    'export.failed',
  ],
): Promise<Webhook> {
  return createWebhook(ctx, orgId, { url, events, secret: SECRET });
}

/** A webhook to nowhere that asks for no event but by these fields. */
export function subscribe(ctx: Context, orgId: string, fields: Partial<WebhookInput>): Promise<Webhook> {
  return createWebhook(ctx, orgId, { url: 'http://127.0.0.1:9/', events: [], secret: SECRET, ...fields });
}

/** Makes a paused webhook for every type of event, so that each event is stored and nothing is sent. */
export async function subscribeToAll(ctx: Context, orgId: string): Promise<void> {
  const { _id } = await makeWebhook(ctx, orgId, 'http://127.0.0.1:9/', [...NAMED_EVENT_TYPES]);
  await webhookRows(ctx).updateOne({ _id }, { $set: { enabled: false } });
}

/** An event as webhooks receive it, with the only webhook that it is for, if it is for one. */
export interface StoredEvent extends Envelope {
  webhook_id?: string;
}

/** Reads the stored events of an organization, in the order in which they were written. */
export async function readEvents(ctx: Context, orgId: string): Promise<StoredEvent[]> {
  // Reads all rows, because those of one organization come in the order of an index.
  const rows = await eventRows(ctx).find({}).toArray();
  return rows
    .filter(({ org_id }) => org_id === orgId)
    .map(({ body, webhook_id }) => ({
      ...JSON.parse(body),
      ...(webhook_id === undefined ? {} : { webhook_id }),
    }));
}

/** The events about budgets that something raises, without the word. */
export async function budgetEventsOf(ctx: Context, orgId: string, raise: () => Promise<unknown>) {
  const before = await readEvents(ctx, orgId);
  await raise();
  const events = (await readEvents(ctx, orgId)).slice(before.length);
  return events.flatMap(({ type, data }) =>
    type.startsWith('budget.') ? [{ level: type.replace('budget.', ''), data }] : [],
  );
}

/** Raises events as any change does: in a transaction. Returns their ids. */
export async function raise(
  ctx: Context,
  orgId: string,
  count = 1,
  data: Record<string, unknown> = {},
): Promise<string[]> {
  const events = Array.from({ length: count }, (_, index) => ({
    cause: [newId('ses')],
    concerns: {},
    type: 'session.started' as const,
    org_id: orgId,
    ts: new Date(ctx.clock.now()),
    data: { ...data, index },
  }));
  return commitPlan(ctx, async (transaction) => {
    const plan = planEvents(events, await findSubscribers(ctx, orgId, transaction), ctx.clock.now());
    return { ...plan, result: events.map(eventIdOf) };
  });
}

/** Does what workers do for everything that is due by the context's clock (of one event only), and for nothing else. */
export async function attemptAllDue(ctx: Context, eventId?: string): Promise<number> {
  const due = await queuedDeliveryRows(ctx)
    .find({
      state: 'pending',
      at: { $lte: ctx.clock.now() },
      ...(eventId === undefined ? {} : { event_id: eventId }),
    })
    .toArray();
  await Promise.all(due.map((row) => attemptAlone(ctx, row)));
  return due.length;
}

/** Does what a worker does that is woken for one delivery. */
export async function attemptAlone(
  ctx: Context,
  { _id, webhook_id, wake }: Pick<QueuedDelivery, '_id' | 'webhook_id' | 'wake'>,
): Promise<void> {
  await deliver(ctx, { webhook_id, delivery_ids: [_id], wake, published: false });
}

/** Finished or not, as the log shows them: the unfinished first, so that one that is finished meanwhile is never missed. */
export async function findDeliveries(
  ctx: Context,
  filter: { event_id?: string; org_id?: string },
): Promise<Delivery[]> {
  const queued = await queuedDeliveryRows(ctx).find(filter).toArray();
  const done = await deliveryRows(ctx).find(filter).toArray();
  const finished = new Set(done.map(({ _id }) => _id));
  return [...queued.filter(({ _id }) => !finished.has(_id)).map(logOfQueued), ...done];
}

export async function readDelivery(ctx: Context, eventId: string): Promise<Delivery> {
  const deliveries = await findDeliveries(ctx, { event_id: eventId });
  const [delivery] = deliveries;
  if (!delivery || deliveries.length !== 1) throw new Error(`${deliveries.length} deliveries of ${eventId}`);
  return delivery;
}

/** The statuses of the only delivery of each event, in their order. */
export function statusesOf(ctx: Context, eventIds: readonly string[]): Promise<Delivery['status'][]> {
  return Promise.all(eventIds.map(async (id) => (await readDelivery(ctx, id)).status));
}
