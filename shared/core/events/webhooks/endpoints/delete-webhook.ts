import type { ClientSession } from 'mongoose';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { deleteRows } from '../../../../platform/mongo/writes.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { raiseOrganizationVersion } from '../../../accounts/organizations/versions.ts';
import { getWebhook } from './get-webhook.ts';
import { type Webhook, webhookRows } from './model.ts';
import { planDrain } from './plan-change.ts';

/** Plans what else ends with the mails to a member or with a webhook, for nouns above events. */
export type AlsoEnds = (
  ctx: Context,
  orgId: string,
  of: { user_id: string } | { webhook_id: string },
  transaction: ClientSession,
) => Promise<Plan>;

/**
 * Deletes a webhook, with what `alsoEnds` plans. A due row of the same transaction cancels its unfinished deliveries. One that is
 * under way, or was committed in the second before (ADR 0073), may still arrive. Throws `not_found`.
 */
export async function deleteWebhook(
  ctx: Context,
  orgId: string,
  webhookId: string,
  alsoEnds?: AlsoEnds,
): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const webhook = await getWebhook(ctx, orgId, webhookId, transaction);
    const also = (await alsoEnds?.(ctx, orgId, { webhook_id: webhookId }, transaction)) ?? NO_PLAN;
    return { ...joinPlans(planDeletion(ctx, webhook), also), result: undefined };
  });
}

/** The plan that deletes a webhook, with its line in the audit log. */
export function planDeletion(ctx: Context, webhook: Webhook): Plan {
  const { _id, org_id } = webhook;
  const details = { webhook_id: _id };
  const writes = [
    deleteRows(webhookRows, { _id }),
    ...raiseOrganizationVersion(org_id),
    auditWrite(ctx, { action: 'webhook.delete', org_id, details }),
  ];
  return joinPlans({ writes }, planDrain(webhook, ctx.clock.now()));
}
