import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { readDue, setDue } from '../../../../platform/due/plan-due.ts';
import { updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import { raiseOrganizationVersion } from '../../../accounts/organizations/versions.ts';
import { alertAdminsJob, drainWebhookJob } from './jobs.ts';
import { type Webhook, webhookRows } from './model.ts';

type WebhookIds = Pick<Webhook, '_id' | 'org_id'>;

/** Returns the writes that change a webhook. Planning deliveries reads webhooks, so the organization's version rises too. */
export function changeWrites({ _id, org_id }: WebhookIds, change: Partial<Webhook>): Write[] {
  const update = { $set: change, $inc: { revision: 1 } };
  return [updateRow(webhookRows, { _id }, update), ...raiseOrganizationVersion(org_id)];
}

/**
 * Plans the drain of a webhook. It sends what is held; it holds the pending deliveries of a paused webhook, and cancels all of
 * a deleted one. No transaction holds deliveries after it that saw the webhook before (`guardWebhooks`).
 */
export function planDrain({ _id, org_id }: WebhookIds, dueMs: number): Plan {
  return setDue(drainWebhookJob, { key: _id, orgId: org_id, dueMs });
}

/**
 * Plans the drain of a webhook at `dueMs` (epoch), when its address may get mails again, or sooner if it comes sooner anyway.
 * It writes the due row in any case, so that no drain ends that has not seen what is held now.
 */
export async function planDrainAt(
  ctx: Context,
  webhook: WebhookIds,
  dueMs: number,
  transaction: ClientSession,
): Promise<Plan> {
  const due = await readDue(ctx, drainWebhookJob, webhook._id, transaction);
  const plannedMs = due?.due_at.getTime() ?? dueMs;
  const isUnderWay = due?.claim_id !== undefined && plannedMs <= ctx.clock.now();
  return planDrain(webhook, isUnderWay ? dueMs : Math.min(plannedMs, dueMs));
}

/**
 * Plans that a webhook turns failing at `nowMs` (epoch), after the fifth failure of a delivery: its other deliveries are held and its admins
 * get a mail, each by a due row. If two transactions do this at once, the second conflicts and finds it done.
 */
export async function planFailing(
  ctx: Context,
  webhookId: string,
  nowMs: number,
  transaction: ClientSession,
): Promise<Plan> {
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, { session: transaction });
  if (webhook?.status !== 'active') return NO_PLAN;
  const change = { status: 'failing', failing_since: dateAt(nowMs), alerted_at: null } as const;
  return joinPlans(
    { writes: changeWrites(webhook, change) },
    planDrain(webhook, nowMs),
    setDue(alertAdminsJob, { key: webhookId, orgId: webhook.org_id, dueMs: nowMs }),
  );
}
