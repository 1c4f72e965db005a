import type { mongo } from 'mongoose';
import { LIST_AHEAD_MS, type Order, type Position, paginate } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { type HeldSignal, type HeldState, heldRows } from './model.ts';

export interface HeldFilter {
  state: HeldState;
  user_id?: string | undefined;
  adapter?: string | undefined;
}

/** One page of an organization's held signals, by (`held_at`, id). Counts only when `total` is not known. */
export async function listHeld(
  ctx: Context,
  orgId: string,
  filter: HeldFilter,
  page: { order: Order; limit: number; after: Position | null; total: number | null },
): Promise<{ rows: HeldSignal[]; hasMore: boolean; last: Position | null; total: number }> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const matching = { org_id: orgId, ...Object.fromEntries(given) } as mongo.Filter<HeldSignal>;
  const [found, total] = await Promise.all([
    paginate<HeldSignal>(
      ({ filter: range, sort, limit }) =>
        heldRows(ctx)
          .find({ ...matching, ...range } as mongo.Filter<HeldSignal>, { sort, limit })
          .toArray(),
      'held_at',
      { ...page, fromMs: 0, toMs: ctx.clock.now() + LIST_AHEAD_MS },
    ),
    page.total ?? countHeld(ctx, matching),
  ]);
  return { ...found, total };
}

export function countHeld(ctx: Context, matching: mongo.Filter<HeldSignal>): Promise<number> {
  return heldRows(ctx).countDocuments(matching);
}
