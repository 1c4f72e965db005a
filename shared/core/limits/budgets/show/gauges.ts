import { gauge } from '../../../../platform/basics/metrics.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { budgetRows } from '../rules/model.ts';
import type { BudgetView } from '../rules/view.ts';
import { viewBudgets } from './read-budgets.ts';

/** Budgets per organization that the gauges show. */
const MOST_BUDGETS = 500;

const labelNames = ['org', 'budget', 'name', 'scope', 'metric', 'window'] as const;

const limitGauge = gauge({
  name: 'governor_budget_limit',
  help: 'Threshold of a budget, in the unit of its metric.',
  labelNames,
});
const usedGauge = gauge({
  name: 'governor_budget_used',
  help: 'Usage in the window that is open now, in the unit of the metric.',
  labelNames,
});
const remainingGauge = gauge({
  name: 'governor_budget_remaining',
  help: 'The amount that is left up to the threshold; 0 beyond it.',
  labelNames,
});

/** Reads how the budgets of these organizations stand. Budgets of one user, and templates, are not shown. */
export async function readBudgetGauges(ctx: Context, orgIds: readonly string[]): Promise<void> {
  const told: [string, BudgetView][] = [];
  for (const orgId of orgIds) {
    const budgets = await budgetRows(ctx)
      .find(
        { org_id: orgId, scope: { $ne: 'user' }, per: { $ne: 'user' } },
        { sort: { created_at: -1 }, limit: MOST_BUDGETS },
      )
      .toArray();
    for (const view of await viewBudgets(ctx, { orgId, userId: null }, budgets)) told.push([orgId, view]);
  }
  const [limit, used, remaining] = [limitGauge(ctx), usedGauge(ctx), remainingGauge(ctx)];
  for (const each of [limit, used, remaining]) each.reset();
  for (const [org, { id, name, scope, metric, window, threshold, current, remaining: left }] of told) {
    const labels = { org, budget: id, name, scope, metric, window };
    limit.set(labels, threshold);
    used.set(labels, current);
    remaining.set(labels, left);
  }
}
