import type { Reader } from '../organizations/reader.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { mapAtPace } from '../platform/basics/next-turn.ts';
import { LIST_AHEAD_MS, type Order, type Position, paginate } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
import { ALL_COUNTER_SHARDS } from '../platform/mongo/counter-shards.ts';
import { onShard } from '../platform/mongo/on-shard.ts';
import { calendarWindowAt } from './calendar-windows.ts';
import { addTo, noUsage } from './count-signals.ts';
import { counterKey, windowKey } from './keys.ts';
import { type Budget, budgetEvaluationRows, budgetRows, budgetWindowRows } from './model.ts';
import { type BudgetStatus, type BudgetView, viewBudget } from './view.ts';

/** One budget as it stands now, or `not_found`. */
export async function readBudget(ctx: Context, reader: Reader, budgetId: string): Promise<BudgetView> {
  const budget = await readVisibleBudget(ctx, reader, budgetId);
  const [view] = await viewBudgets(ctx, reader.orgId, [budget]);
  return view as BudgetView;
}

/** The row of a budget that the reader may see, or `not_found`. */
export async function readVisibleBudget(ctx: Context, reader: Reader, budgetId: string): Promise<Budget> {
  const budget = await budgetRows(ctx).findOne({ _id: budgetId });
  if (!budget || !isVisible(budget, reader)) throw new DomainError('not_found', 'There is no such budget.');
  return budget;
}

/** A reader of one user sees the budgets of that user alone. */
function isVisible(budget: Budget, { orgId, userId }: Reader): boolean {
  if (budget.org_id !== orgId) return false;
  return userId === null || (budget.scope === 'user' && budget.scope_id === userId);
}

/** One page of budgets, ordered by (`created_at`, id). Counts only when `total` is not known. */
export async function listBudgets(
  ctx: Context,
  { orgId, userId }: Reader,
  page: { order: Order; limit: number; after: Position | null; total: number | null },
): Promise<{ views: BudgetView[]; hasMore: boolean; last: Position | null; total: number }> {
  const bound = userId === null ? {} : { scope: 'user' as const, scope_id: userId };
  const matching = { org_id: orgId, ...bound };
  const [{ rows, ...rest }, total] = await Promise.all([
    paginate<Budget>(
      ({ filter, sort, limit }) =>
        budgetRows(ctx)
          .find({ ...matching, ...filter }, { sort, limit })
          .toArray(),
      'created_at',
      { ...page, fromMs: 0, toMs: ctx.clock.now() + LIST_AHEAD_MS },
    ),
    page.total ?? budgetRows(ctx).countDocuments(matching),
  ]);
  return { ...rest, views: await viewBudgets(ctx, orgId, rows), total };
}

/** Budgets with how they stand in the window that is open now. */
export async function viewBudgets(
  ctx: Context,
  orgId: string,
  budgets: readonly Budget[],
): Promise<BudgetView[]> {
  const nowMs = ctx.clock.now();
  const keyed = await mapAtPace(budgets, (budget) => {
    const interval = calendarWindowAt(budget.window, budget.timezone, nowMs);
    const counter = counterKey(budget);
    const keyOf = (shard: number) => windowKey(orgId, counter, interval.startMs, shard);
    return { budget, interval, ids: ALL_COUNTER_SHARDS.map(keyOf) };
  });
  const ids = [...new Set(keyed.flatMap((entry) => entry.ids))];
  const [rows, evaluation] = await Promise.all([
    budgetWindowRows(ctx)
      .find(onShard(ctx, { _id: { $in: ids } }, { org_id: orgId }))
      .toArray(),
    budgetEvaluationRows(ctx).findOne({ _id: orgId }),
  ]);
  const byId = new Map(rows.map((row) => [row._id, row]));
  return mapAtPace(keyed, ({ budget, interval, ids: own }) => {
    const usage = noUsage();
    for (const id of own) addTo(usage, byId.get(id) ?? {});
    const evaluatedMs = evaluatedSince(budget, evaluation?.evaluated_at.getTime() ?? null);
    const status: BudgetStatus = { interval, usage, evaluatedMs };
    return viewBudget(budget, status, nowMs);
  });
}

/** All budgets of an organization are evaluated together; one that is younger than that was not. */
function evaluatedSince(budget: Budget, evaluatedMs: number | null): number | null {
  return evaluatedMs !== null && evaluatedMs >= budget.created_at.getTime() ? evaluatedMs : null;
}
