import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import { commitPlan, joinPlans } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type Claim, claimDue, finishClaim } from '../platform/due/claim-due.ts';
import { updateRow } from '../platform/mongo/writes.ts';
import { findSubscribers } from '../webhooks/endpoints/find-subscribers.ts';
import { evaluateBudget } from './evaluate.ts';
import type { CountedBudget } from './evaluate-alerts.ts';
import { type DueEvaluation, evaluateBudgetsJob } from './jobs.ts';
import { counterKey } from './keys.ts';
import { budgetEvaluationRows, budgetRows } from './model.ts';
import { planAlerts } from './plan-alerts.ts';
import { planFirings } from './plan-firings.ts';
import { readWindows } from './read-windows.ts';

/**
 * Evaluates every budget of an organization whose usage has changed, and fires what was reached, once per budget,
 * window, level and revision, and what webhooks asked to be told. Its cost depends on the number of budgets, not of
 * signals. Returns how many events it raised; repeating it raises none.
 */
export async function evaluateDue(ctx: Context, orgId: string): Promise<number> {
  const claim = await claimDue<DueEvaluation>(ctx, evaluateBudgetsJob, orgId, (rows) => ({
    earliest_window_end: dateAt(Math.min(...rows.map((row) => row.earliest_window_end.getTime()))),
  }));
  return claim ? evaluateClaimed(ctx, orgId, claim) : 0;
}

/** One snapshot, one transaction, with which the claim ends. */
async function evaluateClaimed(ctx: Context, orgId: string, claim: Claim<DueEvaluation>): Promise<number> {
  return commitPlan(
    ctx,
    async (transaction) => {
      const nowMs = ctx.clock.now();
      const counted = await readCounted(ctx, orgId, claim.earliest_window_end, transaction);
      const subscribers = await findSubscribers(ctx, orgId, transaction);
      const reached = counted.flatMap(({ budget, windows }) => evaluateBudget(budget, windows, nowMs));
      const firings = await planFirings(ctx, reached, subscribers, transaction);
      const alerts = await planAlerts(ctx, orgId, { subscribers, counted }, transaction);
      const plan = joinPlans(firings.plan, alerts.plan);
      const evaluated = updateRow(
        budgetEvaluationRows,
        { _id: orgId },
        { $max: { evaluated_at: dateAt(nowMs) } },
        { upsert: true },
      );
      return {
        writes: [...plan.writes, evaluated, finishClaim(claim)],
        wakeUps: plan.wakeUps,
        result: firings.count + alerts.count,
      };
    },
    // Another worker fires the same level at this moment.
    { onDuplicateKey: 'retry' },
  );
}

/** Every budget with those of its windows that end at `earliestEnd` or later. */
async function readCounted(
  ctx: Context,
  orgId: string,
  earliestEnd: Date,
  transaction: ClientSession,
): Promise<CountedBudget[]> {
  const budgets = await budgetRows(ctx).find({ org_id: orgId }, { session: transaction }).toArray();
  const windows = await readWindows(ctx, { org_id: orgId, window_end: { $gte: earliestEnd } }, transaction);
  const byCounter = Map.groupBy(windows, ({ counter }) => counter);
  return budgets.map((budget) => ({ budget, windows: byCounter.get(counterKey(budget)) ?? [] }));
}
