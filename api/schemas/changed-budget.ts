import { readBudget } from '../../shared/core/limits/budgets/show/read-budgets.ts';
import { showUnpriced } from '../../shared/core/limits/budgets/show/read-unpriced.ts';
import { showReserved } from '../../shared/core/limits/enforcement/reserve/show-reserved.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';
import { type ShownBudgetView, writtenBudgetFor } from './usage-scope.ts';

/** The answer of a change of a budget. From then on this process decides about calls by the changed budget. */
export async function changedBudget(ctx: Context, key: ApiKeyPrincipal, budgetId: string) {
  await statusCache(ctx).renew(key.orgId);
  const view = await readBudget(ctx, key.orgId, budgetId);
  const [shown] = await showUnpriced(ctx, key.orgId, [await showReserved(ctx, key.orgId, view)]);
  return writtenBudgetFor(key, shown as ShownBudgetView);
}
