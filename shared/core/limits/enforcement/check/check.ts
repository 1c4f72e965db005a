import type { Context } from '../../../../platform/context/context.ts';
import { type Caller, openBudgetsOf } from '../state/budget-status.ts';
import { isReservedKnown, statusCache } from '../state/cached-status.ts';
import { judge, type Verdict } from './judge.ts';
import { unpricedIn } from './priced.ts';

const ALL_KNOWN = { isUsageFresh: true, areReservationsFresh: true, unpricedModel: null };

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
  if (!cached) return judge([], estimateNusd, ALL_KNOWN);
  const { value: status } = cached;
  const nowMs = ctx.clock.now();
  const open = openBudgetsOf(status, caller, nowMs);
  return judge(open, estimateNusd, {
    ...unpricedIn(open, caller, { prices: status.rules.prices, nowMs }),
    isUsageFresh: cached.isFresh,
    areReservationsFresh: isReservedKnown(cached),
  });
}
