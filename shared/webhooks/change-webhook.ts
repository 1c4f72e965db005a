import { recordAudit } from '../audit/record-audit.ts';
import { dateAt } from '../clock.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { inTransaction, raw } from '../mongo.ts';
import { setDrain, setTask } from './mark-failing.ts';
import type { Webhook } from './model.ts';
import { sealSecret } from './seal.ts';
import { OLD_SECRET_MS } from './secrets.ts';
import type { WebhookInput } from './view.ts';

export interface WebhookChange {
  events?: WebhookInput['events'] | undefined;
  secret?: string | undefined;
  enabled?: boolean | undefined;
}

/**
 * Changes a webhook. `events` holds for events raised from now on. A new `secret` signs at once, and the one before signs
 * too for 24 hours. `enabled: false` holds what comes, `true` drains it; a failing webhook stays failing. Throws
 * `not_found`.
 */
export async function changeWebhook(
  ctx: Context,
  orgId: string,
  webhookId: string,
  change: WebhookChange,
): Promise<Webhook> {
  return inTransaction(ctx.db, async (transaction) => {
    const before = await raw(ctx.db.webhooks).findOne({ _id: webhookId }, { session: transaction });
    if (before?.org_id !== orgId) throw new DomainError('not_found', 'There is no such webhook.');
    const after = changed(ctx, before, change);
    await raw(ctx.db.webhooks).replaceOne({ _id: webhookId }, after, { session: transaction });
    if (before.enabled && !after.enabled) {
      const nowMs = ctx.clock.now();
      const hold = { kind: 'hold-webhook', webhook_id: webhookId, dueMs: nowMs, untilMs: nowMs } as const;
      await setTask(ctx, hold, transaction);
    }
    if (!before.enabled && after.enabled) await setDrain(ctx, webhookId, transaction);
    const { events, enabled, secret } = change;
    const details = { webhook_id: webhookId, events, enabled, secret: secret && 'changed' };
    await recordAudit(ctx, { action: 'webhook.change', org_id: orgId, details: given(details) }, transaction);
    return after;
  });
}

function changed(ctx: Context, before: Webhook, change: WebhookChange): Webhook {
  const after: Webhook = { ...before, revision: (before.revision ?? 0) + 1 };
  if (change.events !== undefined) after.events = change.events;
  if (change.enabled !== undefined) after.enabled = change.enabled;
  if (change.secret !== undefined) {
    after.secret = sealSecret(ctx.config, before._id, change.secret);
    after.old_secret = before.secret;
    after.old_secret_until = dateAt(ctx.clock.now() + OLD_SECRET_MS);
  }
  return after;
}

function given(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}
