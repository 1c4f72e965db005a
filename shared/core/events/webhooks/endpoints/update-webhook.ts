import { isDeepStrictEqual } from 'node:util';
import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Config } from '../../../../platform/basics/config.ts';
import { OLD_SECRET_SIGNS_MS } from '../../../../platform/basics/contract.ts';
import { DomainError } from '../../../../platform/basics/errors.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { decryptSecret, encryptSecret, hasKeyOf } from './encrypt-secret.ts';
import { getWebhook } from './get-webhook.ts';
import { isPaused, type Webhook } from './model.ts';
import { changeWrites, planDrain } from './plan-change.ts';
import { asksForSomething, NO_JSON_FILTER, type WebhookChange } from './view.ts';

/**
 * Changes a webhook. `events` applies to events that are raised from then on. A new `secret` signs at once, and the previous
 * one also signs for 24 h; a second change drops the oldest, and a repeat changes nothing. `enabled: false` holds deliveries
 * as failing does; `true` drains them, but does not end failing. Throws `not_found`.
 */
export async function updateWebhook(
  ctx: Context,
  orgId: string,
  webhookId: string,
  change: WebhookChange,
): Promise<Webhook> {
  return commitPlan(ctx, async (transaction) => {
    const webhook = await getWebhook(ctx, orgId, webhookId, transaction);
    const nowMs = ctx.clock.now();
    const set = fieldsOf(ctx.config, webhook, change, nowMs);
    const paused = change.enabled === undefined ? {} : { enabled: change.enabled };
    const details = { webhook_id: webhookId, changed: Object.keys(change), ...paused };
    const after: Webhook = { ...webhook, ...set };
    if (!asksForSomething(after)) throw refused('/events', 'must name at least one event type');
    if (change.filter && webhook.format === 'json') throw refused('/filter', NO_JSON_FILTER);
    const audit = auditWrite(ctx, { action: 'webhook.update', org_id: orgId, details });
    const plan = joinPlans(
      { writes: [...changeWrites(webhook, set), audit] },
      isPaused(webhook) === isPaused(after) ? NO_PLAN : planDrain(after, nowMs),
    );
    return { ...plan, result: after };
  });
}

function fieldsOf(
  config: Config,
  webhook: Webhook,
  { secret, ...change }: WebhookChange,
  nowMs: number,
): Partial<Webhook> {
  const { alert_at = webhook.alert_at } = change;
  // Forecasts are told of open windows alone.
  const asksAsBefore = isDeepStrictEqual(alert_at, webhook.alert_at);
  return {
    ...change,
    ...(asksAsBefore ? {} : { alerts_since: dateAt(nowMs) }),
    ...(secret === undefined ? {} : newSecret(config, webhook, secret, nowMs)),
  };
}

/** Drops a previous secret whose key is missing, so that attempts can be signed again. */
function newSecret(config: Config, webhook: Webhook, secret: string, nowMs: number): Partial<Webhook> {
  const isKnown = hasKeyOf(config, webhook.secret);
  if (isKnown && decryptSecret(config, webhook._id, webhook.secret) === secret) return {};
  return {
    secret: encryptSecret(config, webhook._id, secret),
    old_secret: isKnown ? webhook.secret : null,
    old_secret_until: isKnown ? dateAt(nowMs + OLD_SECRET_SIGNS_MS) : null,
  };
}

function refused(pointer: string, detail: string): DomainError {
  return new DomainError('invalid_request', `The webhook is not valid: ${pointer.slice(1)} ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}
