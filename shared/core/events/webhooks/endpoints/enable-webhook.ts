import { commitPlan, joinPlans } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { getWebhook } from './get-webhook.ts';
import { isPaused, type Webhook } from './model.ts';
import { changeWrites, planDrain } from './plan-change.ts';

/**
 * Lets a failing or paused webhook deliver again; its held deliveries drain in order. A webhook that delivers stays as it
 * is. An operator passes `orgId` null and may enable any. Throws `not_found`.
 */
export async function enableWebhook(ctx: Context, orgId: string | null, webhookId: string): Promise<Webhook> {
  return commitPlan(ctx, async (transaction) => {
    const webhook = await getWebhook(ctx, orgId, webhookId, transaction);
    if (!isPaused(webhook)) return { result: webhook };
    const change = { enabled: true, status: 'active', failing_since: null, alerted_at: null } as const;
    const details = { webhook_id: webhookId };
    const audit = auditWrite(ctx, { action: 'webhook.enable', org_id: webhook.org_id, details });
    const changed = { writes: [...changeWrites(webhook, change), audit] };
    const plan = joinPlans(changed, planDrain(webhook, ctx.clock.now()));
    return { ...plan, result: { ...webhook, ...change } };
  });
}
