import type { ClientSession } from 'mongoose';
import { rollupRows } from '../../../core/calls/usage/model.ts';
import { BOUNDARIES_PER_BRANCH } from '../../../platform/basics/contract.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundaryRows, workRows } from '../attribution/model.ts';
import { branchKey } from '../attribution/names.ts';
import type { Boundary } from './plan-facts.ts';

/** A branch that got another name, and the user to whom the key that told it is bound, if it is bound. */
export interface Rename {
  boundary: Boundary;
  onlyOf?: string;
}

/**
 * The renames that become boundaries. A boundary concerns the calls of everybody, so that of a bound key is taken only where all
 * calls of the branch are its user's. A branch takes no rename more once it has as many boundaries as it may have.
 */
export async function takenRenames(
  ctx: Context,
  orgId: string,
  renames: readonly Rename[],
  transaction: ClientSession,
): Promise<Boundary[]> {
  const byBranch = Map.groupBy(renames, ({ boundary: { repository, branch_hash } }) =>
    branchKey(ctx, orgId, repository, branch_hash),
  );
  const taken: Boundary[] = [];
  for (const [branch, own] of byBranch) {
    const there = await boundaryRows(ctx).countDocuments(
      { branch },
      { session: transaction, limit: BOUNDARIES_PER_BRANCH },
    );
    const users = new Set(own.flatMap(({ onlyOf }) => onlyOf ?? []));
    const foreign = new Map<string, boolean>();
    for (const user of users)
      foreign.set(user, await hasCallsOfOthers(ctx, { orgId, branch, user }, transaction));
    const allowed = own.filter(({ onlyOf }) => onlyOf === undefined || foreign.get(onlyOf) === false);
    const room = BOUNDARIES_PER_BRANCH - there;
    taken.push(...allowed.slice(0, Math.max(0, room)).map(({ boundary }) => boundary));
  }
  return taken;
}

/** True when users other than this one have calls on a branch. Voided calls leave their rollups, with sums of zero. */
async function hasCallsOfOthers(
  ctx: Context,
  { orgId, branch, user }: { orgId: string; branch: string; user: string },
  transaction: ClientSession,
): Promise<boolean> {
  const works = await workRows(ctx)
    .find({ org_id: orgId, head: branch }, { session: transaction, projection: { _id: 1 } })
    .toArray();
  if (works.length === 0) return false;
  const ids = works.map(({ _id }) => _id);
  const others = { work: { $in: ids }, period: 'day' as const, org_id: orgId, user_id: { $ne: user } };
  const row = await rollupRows(ctx).findOne(
    { ...others, signals: { $gt: 0 } },
    { session: transaction, projection: { _id: 1 } },
  );
  return row !== null;
}
