import { recordAudit } from '../../audit/record-audit.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { WEBHOOKS_PER_ORGANIZATION } from '../../platform/basics/contract.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { newId } from '../../platform/basics/ids.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { encryptSecret } from './encrypt-secret.ts';
import { type Webhook, webhookRows } from './model.ts';
import { guardOf } from './url-guard.ts';
import type { WebhookInput } from './view.ts';

/** Registers a webhook. Its secret is stored encrypted and never shown. Throws `invalid_request`, `conflict`. */
export async function createWebhook(ctx: Context, orgId: string, input: WebhookInput): Promise<Webhook> {
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
    secret: encryptSecret(ctx.config, id, input.secret),
    enabled: true,
    status: 'active',
    failing_since: null,
    created_at: dateAt(ctx.clock.now()),
  };
  await inTransaction(ctx.db, async (transaction) => {
    await webhookRows(ctx).insertOne(webhook, { session: transaction });
    await recordAudit(
      ctx,
      { action: 'webhook.create', org_id: orgId, details: { webhook_id: id, events: input.events } },
      transaction,
    );
  });
  return webhook;
}

/** Asks the guard that also stands before each connection. Throws `invalid_request` that points at the URL. */
async function refuseTarget(ctx: Context, url: string): Promise<void> {
  const detail = await guardOf(ctx).refuse(url);
  if (detail === null) return;
  throw new DomainError('invalid_request', `The url ${detail}.`, { errors: [{ pointer: '/url', detail }] });
}
