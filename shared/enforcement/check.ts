import type { Context } from '../platform/context/context.ts';
import { judge, type Verdict } from './judge.ts';
import { isReservedKnown, standings } from './recall-standing.ts';
import { type Caller, openBudgetsOf } from './standing.ts';

/**
 * Whether a call fits into the budgets that it counts in, from memory. `estimateNusd` is what it will cost, null when
 * nobody knows. While usage or reservations cannot be read, each hard budget's `on_error` decides. Throws a store error
 * when this process has not read the organization's budgets in the last 10 minutes.
 */
export async function checkBudgets(
  ctx: Context,
  caller: Caller,
  estimateNusd: number | null,
): Promise<Verdict> {
  const recollection = await standings(ctx).recall(caller.orgId);
  if (!recollection) return judge([], estimateNusd, { isUsageFresh: true, areReservationsFresh: true });
  const { value: standing } = recollection;
  const open = openBudgetsOf(standing, caller, ctx.clock.now());
  return judge(open, estimateNusd, {
    isUsageFresh: recollection.isFresh,
    areReservationsFresh: isReservedKnown(recollection),
  });
}
