import { dateAt } from '../platform/basics/clock.ts';
import { type Plan, wakeAll } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { raiseDue } from '../platform/due/plan-due.ts';
import { evaluateBudgetsJob } from './jobs.ts';

/**
 * The plan that asks for an evaluation of an organization's budgets, in windows that end at `earliestEndMs` or later. It
 * is raised in a counter shard (docs/adr/0040), so that processes that record signals do not write the same row. Pure.
 */
export function planEvaluation(
  orgId: string,
  { shard, earliestEndMs, nowMs }: { shard: number; earliestEndMs: number; nowMs: number },
): Plan {
  const least = { earliest_window_end: dateAt(earliestEndMs) };
  return raiseDue(evaluateBudgetsJob, { key: orgId, orgId, dueMs: nowMs, shard, least });
}

/** Wakes the evaluation of an organization whose due row has been committed. */
export function wakeEvaluation(ctx: Context, orgId: string): void {
  const nowMs = ctx.clock.now();
  wakeAll(ctx, planEvaluation(orgId, { shard: 0, earliestEndMs: nowMs, nowMs }).wakeUps);
}
