import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { DomainError, invalid } from '../../../../platform/basics/errors.ts';
import { newId } from '../../../../platform/basics/ids.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { insertRow, type Write } from '../../../../platform/mongo/writes.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { beginCreation } from '../../../accounts/idempotency/creation.ts';
import { confirmActor } from '../../../accounts/keys/confirm-actor.ts';
import { memberTouch } from '../../../accounts/organizations/roster.ts';
import { raiseOrganizationVersion } from '../../../accounts/organizations/versions.ts';
import { encryptSecret } from './encrypt-secret.ts';
import { findMailTarget } from './mail-target.ts';
import { type Webhook, webhookRows } from './model.ts';
import { refuseUrl } from './refuse-url.ts';
import { NO_ALERTS } from './settings.ts';
import { encryptTarget } from './target.ts';
import type { WebhookInput } from './view.ts';

/**
 * Registers a webhook. Its secret is stored encrypted and never shown. Throws `invalid_request`, and `conflict` when the
 * organization has as many as it may have. Throws as `confirmActor` when its maker may no longer make one.
 */
export async function createWebhook(ctx: Context, orgId: string, input: WebhookInput): Promise<Webhook> {
  return commitPlan(ctx, async (transaction) => {
    const target = await touchTarget(ctx, orgId, input, transaction);
    await beginCreation(ctx, 'whk', transaction);
    const { maker, writes: touched } = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const webhook: Webhook = { ...newWebhook(ctx, orgId, input), made_by: maker };
    const existing = await webhookRows(ctx).countDocuments({ org_id: orgId }, { session: transaction });
    const most = ctx.config.webhooksPerOrganization;
    if (existing >= most) throw new DomainError('conflict', `An organization has at most ${most} webhooks.`);
    const details = { webhook_id: webhook._id, format: webhook.format, events: input.events };
    const writes = [
      ...touched,
      ...target,
      insertRow(webhookRows, webhook),
      ...raiseOrganizationVersion(orgId),
      auditWrite(ctx, { action: 'webhook.create', org_id: orgId, details }),
    ];
    return { writes, result: webhook };
  });
}

function newWebhook(ctx: Context, orgId: string, input: WebhookInput): Omit<Webhook, 'made_by'> {
  const { url, events, format = 'json', secret = newSecret() } = input;
  const createdAt = dateAt(ctx.clock.now());
  const id = newId('whk');
  return {
    _id: id,
    org_id: orgId,
    name: input.name ?? null,
    ...encryptTarget(ctx.config, id, { format, url }),
    format,
    events,
    alert_at: input.alert_at ?? NO_ALERTS.alert_at,
    forecast: input.forecast ?? NO_ALERTS.forecast,
    quiet_hours: input.quiet_hours ?? NO_ALERTS.quiet_hours,
    digest: input.digest ?? NO_ALERTS.digest,
    ...(input.filter ? { filter: input.filter } : {}),
    alerts_since: createdAt,
    secret: encryptSecret(ctx.config, id, secret),
    old_secret: null,
    old_secret_until: null,
    enabled: true,
    status: 'active',
    failing_since: null,
    alerted_at: null,
    revision: 0,
    created_at: createdAt,
  };
}

/** A chat checks no signature, so its webhook may come without a secret and gets a random one. */
function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the write of the member to whom the webhook writes: it conflicts with an end of all mails at the same time. Throws
 * `invalid_request` that points at the URL. Each connection checks what its name resolves to.
 */
async function touchTarget(
  ctx: Context,
  orgId: string,
  { format, url }: WebhookInput,
  transaction: ClientSession,
): Promise<Write[]> {
  const isMail = format === 'email';
  const found = isMail ? await findMailTarget(ctx, orgId, url, transaction) : refuseUrl(ctx.config, url);
  if (typeof found !== 'string') return found ? [memberTouch(found)] : [];
  throw invalid(`The url ${found}.`, '/url', found);
}
