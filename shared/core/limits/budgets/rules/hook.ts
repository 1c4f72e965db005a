import { type Context, partsOf } from '../../../../platform/context/context.ts';
import type { Budget } from './model.ts';

/** The part of a wing in budgets. It adds to a limit by the budget's own field `raises`, which the rules read. */
export interface BudgetHook {
  /** Refuses another metric or scope of a budget while the wing relies on it. Throws `conflict`. */
  keepCounting?(budget: Budget, nowMs: number): void;
  /** A line for a person whom a budget refuses: how to get more of it. */
  askWords?(budgetId: string, baseUrl: string): string;
}

/** The parts that the wings of this process take in budgets, in their order. */
export const budgetHooks = (ctx: Context) => partsOf<BudgetHook>(ctx, 'budget');
