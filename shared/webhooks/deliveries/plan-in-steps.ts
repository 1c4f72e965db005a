import { eventRows } from '../../events/model.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import type { DueRow } from '../../platform/due/model.ts';
import { clearDue, type Due, readDue, setDue } from '../../platform/due/plan-due.ts';
import { onShard } from '../../platform/mongo/on-shard.ts';
import { findSubscribers } from '../endpoints/find-subscribers.ts';
import { planDeliveriesJob } from './jobs.ts';
import { planDeliveries } from './plan-deliveries.ts';
import { hasBody, pairsOf, type UnplannedDetails } from './plan-events.ts';

/** Deliveries of one transaction: short enough that nobody waits for it. */
const PLANNED_PER_STEP = 500;

/**
 * Plans the deliveries of events that were too many for the transaction of their change, some per transaction. A worker
 * that dies is followed by one that goes on where it was. `key` is that of the due row.
 */
export async function planInSteps(ctx: Context, key: string): Promise<void> {
  while (await planSome(ctx, key));
}

/** Whether there may be more. */
async function planSome(ctx: Context, key: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const due = await readDue<UnplannedDetails>(ctx, planDeliveriesJob, key, transaction);
    if (!due) return { ...NO_PLAN, result: false };
    const found = await eventRows(ctx)
      .find(onShard(ctx, { _id: { $in: due.event_ids } }, { org_id: due.org_id }), { session: transaction })
      .toArray();
    const events = found.filter(hasBody).toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
    const pairs = pairsOf(events, due.subscribers);
    const now = await findSubscribers(ctx, due.org_id, transaction);
    const byId = new Map(now.map((webhook) => [webhook._id, webhook]));
    const step = pairs.slice(due.planned, due.planned + PLANNED_PER_STEP).flatMap(({ event, webhook }) => {
      const current = byId.get(webhook._id);
      return current ? [{ event, webhook: current }] : [];
    });
    const planned = due.planned + PLANNED_PER_STEP;
    const hasMore = planned < pairs.length;
    const moved = hasMore
      ? setDue(planDeliveriesJob, dueAgain(due, planned))
      : { writes: [clearDue(planDeliveriesJob, key)], wakeUps: [] };
    return { ...joinPlans(moved, planDeliveries(step)), result: hasMore };
  });
}

function dueAgain(due: DueRow & UnplannedDetails, planned: number): Due<UnplannedDetails> {
  const { key, org_id: orgId, due_at, event_ids, subscribers } = due;
  return { key, orgId, dueMs: due_at.getTime(), details: { event_ids, subscribers, planned } };
}
