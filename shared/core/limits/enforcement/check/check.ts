import type { Context } from '../../../../platform/context/context.ts';
import { type Caller, openBudgetsOf } from '../state/budget-status.ts';
import { isReservedKnown, statusCache } from '../state/cached-status.ts';
import { judge, type Verdict } from './judge.ts';

/**
 * Decides from the cache whether a call fits into the budgets that it counts in. `estimateNusd` is its expected cost, or null. While usage or reservations cannot be read, each hard budget's `on_error` decides. Throws a store error
 * when this process has not read the organization's budgets in the last 10 minutes.
 */
export async function checkBudgets(
  ctx: Context,
  caller: Caller,
  estimateNusd: number | null,
): Promise<Verdict> {
  const cached = await statusCache(ctx).get(caller.orgId);
  if (!cached) return judge([], estimateNusd, { isUsageFresh: true, areReservationsFresh: true });
  const { value: status } = cached;
  const open = openBudgetsOf(status, caller, ctx.clock.now());
  return judge(open, estimateNusd, {
    isUsageFresh: cached.isFresh,
    areReservationsFresh: isReservedKnown(cached),
  });
}
