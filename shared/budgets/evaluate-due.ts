import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type Claim, claimDue, finishClaim } from '../platform/due/claim-due.ts';
import { updateRow } from '../platform/mongo/writes.ts';
import { addTo, noUsage } from './count-signals.ts';
import { evaluateBudget, type LevelReached, type WindowUsage } from './evaluate.ts';
import { type DueEvaluation, evaluateBudgetsJob } from './jobs.ts';
import { counterKey } from './keys.ts';
import { budgetEvaluationRows, budgetRows, budgetWindowRows } from './model.ts';
import { planFirings } from './plan-firings.ts';

/**
 * Evaluates every budget of an organization whose usage has changed, and fires what was reached: once per budget,
 * window, level and revision. Its cost depends on the number of budgets, not of signals. Returns how many events
 * it raised; repeating it raises none.
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
      const reached = await readLevels(ctx, orgId, claim.earliest_window_end, transaction);
      const { plan, count } = await planFirings(ctx, orgId, reached, transaction);
      const evaluated = updateRow(
        budgetEvaluationRows,
        { _id: orgId },
        { $max: { evaluated_at: dateAt(ctx.clock.now()) } },
        { upsert: true },
      );
      return {
        writes: [...plan.writes, evaluated, finishClaim(claim)],
        wakeUps: plan.wakeUps,
        result: count,
      };
    },
    // Another worker fires the same level at this moment.
    { onDuplicateKey: 'retry' },
  );
}

async function readLevels(
  ctx: Context,
  orgId: string,
  earliestEnd: Date,
  transaction: ClientSession,
): Promise<LevelReached[]> {
  const budgets = await budgetRows(ctx).find({ org_id: orgId }, { session: transaction }).toArray();
  const rows = await budgetWindowRows(ctx)
    .find({ org_id: orgId, window_end: { $gte: earliestEnd } }, { session: transaction })
    .toArray();
  const windows = new Map<string, Map<number, WindowUsage>>();
  for (const row of rows) {
    const startMs = row.window_start.getTime();
    const ofCounter = windows.get(row.counter) ?? new Map<number, WindowUsage>();
    windows.set(row.counter, ofCounter);
    const interval = { startMs, endMs: row.window_end.getTime() };
    const window = ofCounter.get(startMs) ?? { interval, usage: noUsage() };
    ofCounter.set(startMs, window);
    addTo(window.usage, row);
  }
  const nowMs = ctx.clock.now();
  return budgets.flatMap((budget) =>
    evaluateBudget(budget, [...(windows.get(counterKey(budget))?.values() ?? [])], nowMs),
  );
}
