import type { BudgetHook } from '../../core/limits/budgets/rules/hook.ts';
import { raisesInForce } from '../../core/limits/budgets/rules/in-force.ts';
import { DomainError } from '../../platform/basics/errors.ts';

export const budgetPart: BudgetHook = {
  // The amount of a raise is of the metric, for those whom the scope counts.
  keepCounting: (budget, nowMs) => {
    if (raisesInForce(budget, nowMs).length === 0) return;
    throw new DomainError(
      'conflict',
      'A raise of this budget is in force. Revoke it before you change the metric or the scope.',
    );
  },
  askWords: (budgetId, baseUrl) =>
    `Ask for more: governor raise --budget ${budgetId} --amount N, or ${baseUrl}/dashboard/raise?budget=${budgetId}`,
};
