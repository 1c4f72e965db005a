import { z } from 'zod';
import type { Context } from '../../../../platform/context/context.ts';
import { usd4 } from '../../../pricing/money.ts';
import { type BudgetView, budgetView } from '../../budgets/rules/view.ts';
import { isReservedIn, nameOfUser, reservedKeys, sumReserved } from '../state/budget-status.ts';
import { isReservedKnown, statusCache } from '../state/cached-status.ts';

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
  const sums = views.some(isReservedIn) ? await readReservedSums(ctx, orgId) : null;
  return views.map((view) => ({ ...view, reserved: isReservedIn(view) ? reservedOf(orgId, view, sums) : 0 }));
}

function reservedOf(orgId: string, { id, per, top_user_id }: BudgetView, sums: ReservedSums): number | null {
  const person = per ? nameOfUser(orgId, top_user_id ?? '') : null;
  return sums && usd4(sumReserved(sums, reservedKeys({ _id: id }, person)));
}

/** The amounts that open reservations hold, by the keys of `reservedKeys(...)`. Null while they are not known. */
export type ReservedSums = ReadonlyMap<string, number> | null;

/** Reads the amounts that an organization's open reservations hold, as of at most a second ago. */
export async function readReservedSums(ctx: Context, orgId: string): Promise<ReservedSums> {
  const cached = await statusCache(ctx)
    .get(orgId)
    .catch((error: unknown) => {
      ctx.log.debug({ err: error }, 'what is reserved was not read');
      return null;
    });
  if (!cached || !isReservedKnown(cached)) return null;
  return cached.value.reserved?.sums ?? null;
}
