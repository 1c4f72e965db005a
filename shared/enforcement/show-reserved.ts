import { z } from 'zod';
import { type BudgetView, budgetView } from '../budgets/view.ts';
import type { Context } from '../platform/context/context.ts';
import { usd4 } from '../pricing/money.ts';
import { isReservedIn, reservedKey } from './budget-status.ts';
import { isReservedKnown, statusCache } from './cached-status.ts';

/** A budget with its usage and its reservations now. */
export const reservedBudgetView = budgetView.extend({
  reserved: z
    .number()
    .nullable()
    .describe('Held by open reservations, in US dollars; null while that cannot be read'),
});
export type ReservedBudgetView = z.output<typeof reservedBudgetView>;

/** Adds the amount of open reservations to a budget, as of at most a second ago. */
export async function showReserved(
  ctx: Context,
  orgId: string,
  view: BudgetView,
): Promise<ReservedBudgetView> {
  const [shown] = await showAllReserved(ctx, orgId, [view]);
  return shown as ReservedBudgetView;
}

/** The same for several budgets of an organization. */
export async function showAllReserved(
  ctx: Context,
  orgId: string,
  views: readonly BudgetView[],
): Promise<ReservedBudgetView[]> {
  const sums = views.some(isReservedIn) ? await readSums(ctx, orgId) : null;
  return views.map((view) => ({ ...view, reserved: isReservedIn(view) ? reservedOf(view, sums) : 0 }));
}

function reservedOf(
  { id, window_start }: BudgetView,
  sums: ReadonlyMap<string, number> | null,
): number | null {
  return sums && usd4(sums.get(reservedKey(id, Date.parse(window_start), null)) ?? 0);
}

/** Null while it is not known. */
async function readSums(ctx: Context, orgId: string): Promise<ReadonlyMap<string, number> | null> {
  const cached = await statusCache(ctx)
    .get(orgId)
    .catch((error: unknown) => {
      ctx.log.debug({ err: error }, 'what is reserved was not read');
      return null;
    });
  if (!cached || !isReservedKnown(cached)) return null;
  return cached.value.reserved?.sums ?? null;
}
