import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type Claim, claimDue, endClaim, finishClaim } from '../platform/due/claim-due.ts';
import { setDue } from '../platform/due/plan-due.ts';
import { updateRow } from '../platform/mongo/writes.ts';
import { findSubscribers, type Subscriber } from '../webhooks/endpoints/find-subscribers.ts';
import { evaluateBudget } from './evaluate.ts';
import { asksForAlerts, type CountedBudget, nextForecastMs } from './evaluate-alerts.ts';
import { type DueEvaluation, evaluateBudgetsJob } from './jobs.ts';
import { counterKey } from './keys.ts';
import { budgetEvaluationRows, budgetRows } from './model.ts';
import { planFirings } from './plan-firings.ts';
import { readWindows } from './read-windows.ts';
import { sendAlerts } from './send-alerts.ts';

/**
 * Evaluates every budget of an organization whose usage has changed, and fires what was reached, once per budget,
 * window, level and revision, and then what webhooks asked to be told. Its cost depends on the number of budgets, not of
 * signals. Returns how many events it raised; repeating it raises none.
 */
export async function evaluateDue(ctx: Context, orgId: string): Promise<number> {
  const claim = await claimDue<DueEvaluation>(ctx, evaluateBudgetsJob, orgId, (rows) => ({
    earliest_window_end: dateAt(Math.min(...rows.map((row) => row.earliest_window_end.getTime()))),
  }));
  if (!claim) return 0;
  const { fired, ...evaluated } = await fireLevels(ctx, orgId, claim);
  if (evaluated.asking.length === 0) return fired;
  const sent = await sendAlerts(ctx, orgId, evaluated);
  await endClaim(ctx, claim);
  return fired + sent;
}

interface Evaluated {
  /** How many levels have fired. */
  fired: number;
  /** The webhooks that ask for alerts. */
  asking: readonly Subscriber[];
  counted: readonly CountedBudget[];
}

/** One snapshot, one transaction. The claim ends with it, unless there are alerts to send. */
async function fireLevels(ctx: Context, orgId: string, claim: Claim<DueEvaluation>): Promise<Evaluated> {
  return commitPlan(
    ctx,
    async (transaction) => {
      const nowMs = ctx.clock.now();
      const counted = await readCounted(ctx, orgId, claim.earliest_window_end, transaction);
      const subscribers = await findSubscribers(ctx, orgId, transaction);
      const reached = counted.flatMap(({ budget, windows }) => evaluateBudget(budget, windows, nowMs));
      const firings = await planFirings(ctx, reached, subscribers, transaction);
      const plan = joinPlans(
        firings.plan,
        planLook(orgId, nextForecastMs(subscribers.webhooks, counted, nowMs)),
      );
      const evaluated = updateRow(
        budgetEvaluationRows,
        { _id: orgId },
        { $max: { evaluated_at: dateAt(nowMs) } },
        { upsert: true },
      );
      const asking = subscribers.webhooks.filter(asksForAlerts);
      const finished = asking.length > 0 ? [] : [finishClaim(claim)];
      return {
        writes: [...plan.writes, evaluated, ...finished],
        wakeUps: plan.wakeUps,
        result: { fired: firings.count, asking, counted },
      };
    },
    // Another worker fires the same level at this moment.
    { onDuplicateKey: 'retry' },
  );
}

/** The plan of another evaluation when a forecast is to be told. */
function planLook(orgId: string, dueMs: number | null): Plan {
  if (dueMs === null) return NO_PLAN;
  const details = { earliest_window_end: dateAt(dueMs) };
  return setDue<DueEvaluation>(evaluateBudgetsJob, { key: orgId, orgId, dueMs, details });
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
