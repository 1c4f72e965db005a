import type { mongo } from 'mongoose';
import { given } from '../../platform/basics/given.ts';
import type { Listed, ListPage } from '../../platform/basics/paginate.ts';
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
  page: ListPage,
): Promise<Listed<HeldSignal>> {
  return listRows(ctx, heldRows, { org_id: orgId, ...given(filter) }, 'held_at', page);
}

export function countHeld(ctx: Context, matching: mongo.Filter<HeldSignal>): Promise<number> {
  return heldRows(ctx).countDocuments(matching);
}
