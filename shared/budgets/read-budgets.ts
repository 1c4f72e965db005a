import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { raw } from '../mongo.ts';
import { type Order, type Position, walkPage } from '../walk.ts';
import { ALL_SLOTS, tallyKey, windowKey } from './keys.ts';
import type { Budget } from './model.ts';
import { createPeriods } from './periods.ts';
import { addTo, noUsage } from './tally-signals.ts';
import { type BudgetStatus, type BudgetView, viewBudget } from './view.ts';

/** Who reads: an organization; a key that is bound to a user sees the budgets of that user alone. */
export interface BudgetReader {
  orgId: string;
  userId: string | null;
}

/** One budget as it stands now, or `not_found`. */
export async function readBudget(ctx: Context, reader: BudgetReader, budgetId: string): Promise<BudgetView> {
  const budget = await ctx.db.budgets.findById(budgetId).lean<Budget>();
  if (!budget || !isVisible(budget, reader)) throw new DomainError('not_found', 'There is no such budget.');
  const [view] = await viewBudgets(ctx, reader.orgId, [budget]);
  return view as BudgetView;
}

export function isVisible(budget: Budget, { orgId, userId }: BudgetReader): boolean {
  if (budget.org_id !== orgId) return false;
  return userId === null || (budget.scope === 'user' && budget.scope_id === userId);
}

/** One page of budgets, ordered by (`created_at`, id). Counts only when `total` is not known. */
export async function listBudgets(
  ctx: Context,
  { orgId, userId }: BudgetReader,
  page: { order: Order; limit: number; after: Position | null; total: number | null },
): Promise<{ views: BudgetView[]; hasMore: boolean; last: Position | null; total: number }> {
  const bound = userId === null ? {} : { scope: 'user' as const, scope_id: userId };
  const matching = { org_id: orgId, ...bound };
  const direction = page.order === 'desc' ? -1 : 1;
  const find = (condition: Record<string, unknown>, limit: number) =>
    ctx.db.budgets
      .find({ ...matching, ...condition })
      .sort({ created_at: direction, _id: direction })
      .limit(limit)
      .lean<Budget[]>();
  const [walked, total] = await Promise.all([
    walkPage<Budget>({
      ...page,
      fromMs: 0,
      toMs: ctx.clock.now() + 1,
      position: (budget) => ({ atMs: budget.created_at.getTime(), id: budget._id }),
      fetchRange: (from, to, limit) =>
        find({ created_at: { $gte: new Date(from), $lt: new Date(to) } }, limit),
      fetchTies: (at, id, limit) =>
        find({ created_at: new Date(at), _id: page.order === 'desc' ? { $lt: id } : { $gt: id } }, limit),
    }),
    page.total ?? ctx.db.budgets.countDocuments(matching),
  ]);
  const { rows, ...rest } = walked;
  return { ...rest, views: await viewBudgets(ctx, orgId, rows), total };
}

/** Budgets with how they stand in the window that is open now. */
async function viewBudgets(ctx: Context, orgId: string, budgets: readonly Budget[]): Promise<BudgetView[]> {
  const nowMs = ctx.clock.now();
  const periods = createPeriods();
  const keyed = budgets.map((budget) => {
    const period = periods(budget.window, budget.timezone, nowMs);
    const keyOf = (slot: number) => windowKey(orgId, tallyKey(budget), period.startMs, slot);
    return { budget, period, ids: ALL_SLOTS.map(keyOf) };
  });
  const ids = [...new Set(keyed.flatMap((entry) => entry.ids))];
  const [rows, evaluation] = await Promise.all([
    raw(ctx.db.budgetWindows)
      .find({ _id: { $in: ids } })
      .toArray(),
    ctx.db.budgetEvaluations.findById(orgId).lean(),
  ]);
  const byId = new Map(rows.map((row) => [row._id, row]));
  return keyed.map(({ budget, period, ids: own }) => {
    const usage = noUsage();
    for (const id of own) addTo(usage, byId.get(id) ?? {});
    const evaluatedMs = evaluatedSince(budget, evaluation?.evaluated_at.getTime() ?? null);
    const status: BudgetStatus = { period, usage, evaluatedMs };
    return viewBudget(budget, status, nowMs);
  });
}

/** All budgets of an organization are evaluated together; one that is younger than that was not. */
function evaluatedSince(budget: Budget, evaluatedMs: number | null): number | null {
  return evaluatedMs !== null && evaluatedMs >= budget.created_at.getTime() ? evaluatedMs : null;
}
