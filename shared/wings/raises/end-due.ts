import { planRuleChange } from '../../core/limits/budgets/rules/plan-evaluation.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { clearDue, readDue } from '../../platform/due/plan-due.ts';
import { endRaiseJob } from './jobs.ts';
import { raisesChanged } from './metrics.ts';
import { type Raise, raiseRows, stateAt } from './model.ts';
import { planState } from './plan-change.ts';

type Ended = { notBeforeMs: number } | { after: Raise } | null;

/**
 * Writes that a raise has expired, or has ended, and has the budgets evaluated by the limit that is in force then. Decisions
 * and reads do not wait for it. Repeating it changes nothing. Returns when to look again.
 */
export async function endDueRaise(ctx: Context, id: string): Promise<{ notBeforeMs: number } | undefined> {
  const ended = await commitPlan<Ended>(ctx, async (transaction) => {
    const due = await readDue(ctx, endRaiseJob, id, transaction);
    const nowMs = ctx.clock.now();
    if (!due) return { result: null };
    if (due.due_at.getTime() > nowMs) return { result: { notBeforeMs: due.due_at.getTime() } };
    const raise = await raiseRows(ctx).findOne({ _id: id }, { session: transaction });
    const state = raise && stateAt(raise, nowMs);
    if (!raise || state === raise.state) return { writes: [clearDue(endRaiseJob, id)], result: null };
    const after: Raise = { ...raise, state: state ?? raise.state };
    const isEnd = state === 'ended';
    const plan = planState(ctx, after, isEnd ? 'end' : 'expire');
    return { ...joinPlans(plan, isEnd ? planRuleChange(raise.org_id, nowMs) : NO_PLAN), result: { after } };
  });
  if (ended && 'notBeforeMs' in ended) return ended;
  if (ended) raisesChanged(ctx).inc({ status: ended.after.state });
  return undefined;
}
