import type { mongo } from 'mongoose';
import { LIST_AHEAD_MS, type Order, type Position } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { listRows } from '../../platform/mongo/list-rows.ts';
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
  const range = { fromMs: 0, toMs: ctx.clock.now() + LIST_AHEAD_MS };
  return listRows(ctx, heldRows, matching, 'held_at', { ...page, ...range });
}

export function countHeld(ctx: Context, matching: mongo.Filter<HeldSignal>): Promise<number> {
  return heldRows(ctx).countDocuments(matching);
}
