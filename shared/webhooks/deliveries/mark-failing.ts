import type { ClientSession } from 'mongoose';
import { dateAt } from '../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { setDue } from '../../platform/due/plan-due.ts';
import { alertAdminsJob } from '../endpoints/jobs.ts';
import { webhookRows } from '../endpoints/model.ts';
import { changeWrites, planDrain } from '../endpoints/plan-change.ts';

/**
 * A plan for a delivery that has failed its fifth attempt: the webhook turns failing, once (two transactions that do it
 * conflict, and the second finds it done). Its other deliveries are to be held and its admins told, each by a due row.
 */
export async function planFailing(
  ctx: Context,
  webhookId: string,
  transaction: ClientSession,
): Promise<Plan> {
  const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, { session: transaction });
  if (webhook?.status !== 'active') return NO_PLAN;
  const nowMs = ctx.clock.now();
  const change = { status: 'failing', failing_since: dateAt(nowMs), alerted_at: null } as const;
  return joinPlans(
    { writes: changeWrites(webhook, change), wakeUps: [] },
    planDrain(webhook, nowMs),
    setDue(alertAdminsJob, { key: webhookId, orgId: webhook.org_id, dueMs: nowMs }),
  );
}
