import { recordAudit } from '../audit/record-audit.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { WEBHOOKS_PER_ORGANIZATION } from '../platform/basics/contract.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { newId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { guardOf } from './endpoints.ts';
import { lastDelivery } from './list-deliveries.ts';
import { setDrain } from './mark-failing.ts';
import { type Delivery, queuedDeliveryRows, type Webhook, webhookRows } from './model.ts';
import { sealSecret } from './seal.ts';
import type { WebhookInput } from './view.ts';

/** Registers a webhook; its secret is sealed and never shown. Throws `invalid_request`, `conflict`. */
export async function registerWebhook(ctx: Context, orgId: string, input: WebhookInput): Promise<Webhook> {
  await refuseTarget(ctx, input.url);
  const existing = await webhookRows(ctx).countDocuments({ org_id: orgId });
  if (existing >= WEBHOOKS_PER_ORGANIZATION) {
    throw new DomainError('conflict', `An organization has at most ${WEBHOOKS_PER_ORGANIZATION} webhooks.`);
  }
  const id = newId('whk');
  const webhook: Webhook = {
    _id: id,
    org_id: orgId,
    url: input.url,
    events: input.events,
    secret: sealSecret(ctx.config, id, input.secret),
    enabled: true,
    status: 'active',
    failing_since: null,
    created_at: dateAt(ctx.clock.now()),
  };
  await inTransaction(ctx.db, async (transaction) => {
    await webhookRows(ctx).insertOne(webhook, { session: transaction });
    await recordAudit(
      ctx,
      { action: 'webhook.register', org_id: orgId, details: { webhook_id: id, events: input.events } },
      transaction,
    );
  });
  return webhook;
}

/** The same guard as at connect time. Throws `invalid_request` that points at the URL. */
export async function refuseTarget(ctx: Context, url: string): Promise<void> {
  const detail = await guardOf(ctx).refuse(url);
  if (detail === null) return;
  throw new DomainError('invalid_request', `The url ${detail}.`, { errors: [{ pointer: '/url', detail }] });
}

/** Throws `not_found`: another organization's webhook looks like one that never was. */
export async function readWebhook(ctx: Context, orgId: string, webhookId: string): Promise<Webhook> {
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId });
  if (webhook?.org_id !== orgId) throw new DomainError('not_found', 'There is no such webhook.');
  return webhook;
}

export interface ListedWebhook {
  webhook: Webhook;
  held: number;
  lastDelivery: Delivery | null;
}

/** All of an organization, oldest first. */
export async function listWebhooks(ctx: Context, orgId: string): Promise<ListedWebhook[]> {
  const webhooks = await webhookRows(ctx).find({ org_id: orgId }).sort({ created_at: 1 }).toArray();
  return Promise.all(
    webhooks.map(async (webhook) => ({
      webhook,
      held: await queuedDeliveryRows(ctx).countDocuments({ webhook_id: webhook._id, state: 'held' }),
      lastDelivery: await lastDelivery(ctx, webhook),
    })),
  );
}

/**
 * Deletes a webhook; what it had not finished is cancelled by a task of the same transaction. What is under way at this
 * moment, or was committed in the second before (ADR 0073), may still arrive. Throws `not_found`.
 */
export async function removeWebhook(ctx: Context, orgId: string, webhookId: string): Promise<void> {
  await readWebhook(ctx, orgId, webhookId);
  await inTransaction(ctx.db, async (transaction) => {
    await webhookRows(ctx).deleteOne({ _id: webhookId }, { session: transaction });
    await setDrain(ctx, webhookId, transaction);
    await recordAudit(
      ctx,
      { action: 'webhook.remove', org_id: orgId, details: { webhook_id: webhookId } },
      transaction,
    );
  });
}
