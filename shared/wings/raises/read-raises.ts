import type { ClientSession, mongo } from 'mongoose';
import { maySee, narrowToReader, type Reader } from '../../core/accounts/organizations/reader.ts';
import { budgetRows } from '../../core/limits/budgets/rules/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { given } from '../../platform/basics/given.ts';
import type { Listed, ListPage } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { listRows } from '../../platform/mongo/list-rows.ts';
import { type Raise, type RaiseState, raiseRows } from './model.ts';
import type { RaiseViewer } from './view.ts';

/** A raise that a reader may see: a person reads its own. Throws `not_found`. */
export async function readRaise(
  ctx: Context,
  reader: Reader,
  id: string,
  transaction?: ClientSession,
): Promise<Raise> {
  const raise = await raiseRows(ctx).findOne({ _id: id }, transaction ? { session: transaction } : {});
  if (!raise || !maySee(reader, raise)) throw new DomainError('not_found', 'There is no such raise.');
  return raise;
}

export interface RaiseFilter {
  status?: RaiseState | undefined;
  budget_id?: string | undefined;
  user_id?: string | undefined;
}

/** One page of raises, by (`created_at`, id). A state is that of now. Counts only when `total` is not known. */
export async function listRaises(
  ctx: Context,
  reader: Reader,
  filter: RaiseFilter,
  page: ListPage,
): Promise<Listed<Raise>> {
  const { status, budget_id, user_id } = narrowToReader(reader, filter);
  const matching: mongo.Filter<Raise> = {
    org_id: reader.orgId,
    ...given({ user_id, budget_id }),
    ...(status === undefined ? {} : stateFilter(status, ctx.clock.now())),
  };
  return listRows(ctx, raiseRows, matching, 'created_at', page);
}

/** The filter of `stateAt`. */
function stateFilter(state: RaiseState, nowMs: number): mongo.Filter<Raise> {
  const now = dateAt(nowMs);
  switch (state) {
    case 'pending':
      return { state, expires_at: { $gt: now } };
    case 'approved':
      return { state, ends_at: { $gt: now } };
    case 'expired':
      return { $or: [{ state }, { state: 'pending', expires_at: { $lte: now } }] };
    case 'ended':
      return { $or: [{ state }, { state: 'approved', ends_at: { $lte: now } }] };
    case 'denied':
    case 'withdrawn':
    case 'revoked':
      return { state };
  }
}

/** A viewer of raises, with the budgets that the person owns: their names are shown to the person too. */
export async function withOwned(ctx: Context, viewer: RaiseViewer): Promise<RaiseViewer> {
  const { orgId: org_id, userId } = viewer;
  if (userId === null) return viewer;
  const owned = await budgetRows(ctx).distinct('_id', { org_id, 'owner.user_id': userId });
  return { ...viewer, owned: new Set(owned) };
}
