import { recordAudit } from '../audit/record-audit.ts';
import { dateAt } from '../clock.ts';
import type { Context } from '../context.ts';
import { WEBHOOKS_PER_ORGANIZATION } from '../contract.ts';
import { DomainError } from '../errors.ts';
import { newId } from '../ids.ts';
import { inTransaction, raw } from '../mongo.ts';
import { guardOf } from './endpoints.ts';
import { lastDelivery } from './list-deliveries.ts';
import { setDrain } from './mark-failing.ts';
import type { Webhook } from './model.ts';
import { sealSecret } from './seal.ts';
import type { ListedWebhook, WebhookInput } from './view.ts';

/** Registers a webhook; its secret is sealed and never shown. Throws `invalid_request`, `conflict`. */
export async function registerWebhook(ctx: Context, orgId: string, input: WebhookInput): Promise<Webhook> {
  await refuseTarget(ctx, input.url);
  const existing = await ctx.db.webhooks.countDocuments({ org_id: orgId });
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
    await raw(ctx.db.webhooks).insertOne(webhook, { session: transaction });
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
  const webhook = await ctx.db.webhooks.findById(webhookId).lean<Webhook>();
  if (webhook?.org_id !== orgId) throw new DomainError('not_found', 'There is no such webhook.');
  return webhook;
}

/** All of an organization, oldest first. */
export async function listWebhooks(ctx: Context, orgId: string): Promise<ListedWebhook[]> {
  const webhooks = await ctx.db.webhooks.find({ org_id: orgId }).sort({ created_at: 1 }).lean<Webhook[]>();
  return withDeliveries(ctx, webhooks);
}

/** One webhook with what became of its deliveries. Throws `not_found`. */
export async function readListedWebhook(
  ctx: Context,
  orgId: string,
  webhookId: string,
): Promise<ListedWebhook> {
  const [listed] = await withDeliveries(ctx, [await readWebhook(ctx, orgId, webhookId)]);
  return listed as ListedWebhook;
}

/** What all of them hold is counted by one query. */
async function withDeliveries(ctx: Context, webhooks: readonly Webhook[]): Promise<ListedWebhook[]> {
  const held = await countHeld(ctx, webhooks);
  return Promise.all(
    webhooks.map(async (webhook) => ({
      webhook,
      held: held.get(webhook._id) ?? 0,
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
    await raw(ctx.db.webhooks).deleteOne({ _id: webhookId }, { session: transaction });
    await setDrain(ctx, webhookId, transaction);
    await recordAudit(
      ctx,
      { action: 'webhook.remove', org_id: orgId, details: { webhook_id: webhookId } },
      transaction,
    );
  });
}

async function countHeld(ctx: Context, webhooks: readonly Webhook[]): Promise<Map<string, number>> {
  const ids = webhooks.map(({ _id }) => _id);
  const counted = await raw(ctx.db.queuedDeliveries)
    .aggregate<{ _id: string; held: number }>([
      { $match: { webhook_id: { $in: ids }, state: 'held' } },
      { $group: { _id: '$webhook_id', held: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(counted.map(({ _id, held }) => [_id, held]));
}
