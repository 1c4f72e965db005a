import { commitPlan, joinPlans, NO_PLAN } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { clearDue, readDue } from '../platform/due/plan-due.ts';
import { lookAtForecastsJob } from './jobs.ts';
import { planEvaluation } from './plan-evaluation.ts';

/** Asks for an evaluation of budgets whose forecasts are told from now on. `key` is that of the due row. */
export async function lookAtForecasts(ctx: Context, key: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const due = await readDue(ctx, lookAtForecastsJob, key, transaction);
    if (!due) return { ...NO_PLAN, result: undefined };
    const nowMs = ctx.clock.now();
    const asked = planEvaluation(due.org_id, { shard: 0, earliestEndMs: nowMs, nowMs });
    const done = { writes: [clearDue(lookAtForecastsJob, key)], wakeUps: [] };
    return { ...joinPlans(done, asked), result: undefined };
  });
}
