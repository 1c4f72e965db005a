import type { Reader } from '../organizations/reader.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { LIST_AHEAD_MS, type Listed, type ListPage } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
import { ALL_COUNTER_SHARDS } from '../platform/mongo/counter-shards.ts';
import { listRows } from '../platform/mongo/list-rows.ts';
import { calendarWindowAt } from './calendar-windows.ts';
import { counterKey, windowKey } from './keys.ts';
import { type Budget, budgetEvaluationRows, budgetRows, noCounts } from './model.ts';
import { readWindows } from './read-windows.ts';
import { type BudgetView, viewBudget } from './view.ts';
import { isVisible, type Viewer, visibleBudgets } from './visible.ts';

/** A budget of an organization with its usage now. Throws `not_found`. */
export async function readBudget(ctx: Context, orgId: string, budgetId: string): Promise<BudgetView> {
  return viewOne(ctx, await findBudget(ctx, orgId, budgetId));
}

/** The same, if a credential sees the budget. Throws `not_found`. */
export async function readVisibleBudget(ctx: Context, viewer: Viewer, budgetId: string): Promise<BudgetView> {
  return viewOne(ctx, await findVisibleBudget(ctx, viewer, budgetId));
}

/** The row of a budget that a credential sees. Throws `not_found`. */
export async function findVisibleBudget(ctx: Context, viewer: Viewer, budgetId: string): Promise<Budget> {
  const budget = await findBudget(ctx, viewer.orgId, budgetId);
  if (!isVisible(viewer, budget)) throw noBudget();
  return budget;
}

async function findBudget(ctx: Context, orgId: string, budgetId: string): Promise<Budget> {
  const budget = await budgetRows(ctx).findOne({ _id: budgetId });
  if (budget?.org_id !== orgId) throw noBudget();
  return budget;
}

function noBudget(): DomainError {
  return new DomainError('not_found', 'There is no such budget.');
}

async function viewOne(ctx: Context, budget: Budget): Promise<BudgetView> {
  const [view] = await viewBudgets(ctx, budget.org_id, [budget]);
  return view as BudgetView;
}

/** One page of budgets, ordered by (`created_at`, id). Counts only when `total` is not known. */
export async function listBudgets(ctx: Context, reader: Reader, page: ListPage): Promise<Listed<BudgetView>> {
  const range = { fromMs: 0, toMs: ctx.clock.now() + LIST_AHEAD_MS };
  const found = await listRows(budgetRows(ctx), visibleBudgets(reader), 'created_at', { ...page, ...range });
  return { ...found, rows: await viewBudgets(ctx, reader.orgId, found.rows) };
}

/** Budgets with their usage in the open window. */
export async function viewBudgets(
  ctx: Context,
  orgId: string,
  budgets: readonly Budget[],
): Promise<BudgetView[]> {
  const nowMs = ctx.clock.now();
  const keyed = budgets.map((budget) => {
    const interval = calendarWindowAt(budget.window, budget.timezone, nowMs);
    const counter = counterKey(budget);
    const ids = ALL_COUNTER_SHARDS.map((shard) => windowKey(orgId, counter, interval.startMs, shard));
    return { budget, interval, counter, ids };
  });
  const ids = [...new Set(keyed.flatMap((entry) => entry.ids))];
  const [windows, evaluation] = await Promise.all([
    readWindows(ctx, { _id: { $in: ids }, org_id: orgId }),
    budgetEvaluationRows(ctx).findOne({ _id: orgId }),
  ]);
  const usageOf = new Map(windows.map(({ counter, usage }) => [counter, usage]));
  return keyed.map(({ budget, interval, counter }) => {
    const usage = usageOf.get(counter) ?? noCounts();
    const evaluatedMs = evaluatedSince(budget, evaluation?.evaluated_at.getTime() ?? null);
    return viewBudget(budget, { interval, usage, evaluatedMs }, nowMs);
  });
}

/** All budgets of an organization are evaluated together, except those that were made since. */
function evaluatedSince(budget: Budget, evaluatedMs: number | null): number | null {
  return evaluatedMs !== null && evaluatedMs >= budget.created_at.getTime() ? evaluatedMs : null;
}
