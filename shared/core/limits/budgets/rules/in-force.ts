import type { Interval } from '../../../../platform/basics/interval.ts';
import type { Budget, BudgetRaise } from './model.ts';

export type BudgetInForce = Budget & {
  /** The sum of these raises; absent without any. */
  raised?: number;
};

/** The raises of a budget that are in force at a moment (epoch ms), the first to end first. Pure. */
export function raisesInForce({ raises = [] }: Pick<Budget, 'raises'>, atMs: number): BudgetRaise[] {
  return raises
    .filter(({ starts_at, ends_at }) => starts_at.getTime() <= atMs && atMs < ends_at.getTime())
    .sort((a, b) => a.ends_at.getTime() - b.ends_at.getTime());
}

/** A budget with the limit that is in force at a moment (epoch ms): no memory prolongs a raise. Pure. */
export function inForce(budget: Budget, atMs: number): BudgetInForce {
  if (!budget.raises?.length) return budget;
  const raised = raisesInForce(budget, atMs).reduce((sum, { amount }) => sum + amount, 0);
  return raised === 0 ? budget : { ...budget, limit: budget.limit + raised, raised };
}

/** A budget with the limit that is in force in one of its windows: of one that is over, that of its last moment. Pure. */
export function inForceIn(budget: Budget, { endMs }: Interval, nowMs: number): BudgetInForce {
  return inForce(budget, Math.min(nowMs, endMs - 1));
}
