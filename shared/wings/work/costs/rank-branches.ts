import { z } from 'zod';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { boundsOf, type RangeInput } from '../../../core/calls/usage/range.ts';
import { type Listed, type ListPage, pageOfSorted } from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import { workRows } from '../attribution/model.ts';
import { sumSessions } from './sum-sessions.ts';
import { totalOf, type WorkSums } from './sum-works.ts';
import { sumWorksIn } from './sum-works-in.ts';
import { viewCosts, workCostsView } from './view.ts';

/** A branch with the costs of its calls in a time. */
export const costedBranchView = z
  .strictObject({
    repository: z
      .string()
      .meta({ examples: ['github.com/acme/shop'] })
      .describe('The repository of its calls'),
    branch: z
      .string()
      .meta({ examples: ['cart'] })
      .describe('By the name that it had then'),
  })
  .extend(workCostsView.shape);
export type CostedBranch = z.output<typeof costedBranchView>;

interface RankedBranch {
  _id: string;
  repository: string;
  branch: string;
  /** Nano-USD, which orders as US dollars do. */
  cost_usd: number;
}

/**
 * One page of the branches with calls in a time, by (cost, id), for one user by that user's calls. A name that is used again after a
 * pull request ended is one branch. Throws `invalid_request` for a time that the rollups that are kept cannot tell exactly.
 */
export async function rankBranches(
  ctx: Context,
  organization: Organization,
  {
    userId,
    repository,
    calls: asked,
  }: { userId: string | null; repository: string | undefined; calls: Pick<RangeInput, 'fromMs' | 'toMs'> },
  page: ListPage,
): Promise<Listed<CostedBranch>> {
  const calls = boundsOf(ctx, asked);
  const reader = { orgId: organization._id, userId };
  return inTransaction(ctx.db, async (transaction) => {
    const sums = await sumWorksIn(ctx, organization, { userId, calls }, transaction);
    const works = await findByIds(workRows(ctx), [...new Set(sums.map(({ work }) => work))], transaction);
    const heads = new Map(
      works.flatMap(({ _id, head }) => (head === undefined ? [] : [[_id, head] as const])),
    );
    const costs = Map.groupBy(
      sums.filter(({ work }) => heads.has(work)),
      ({ work }) => heads.get(work) ?? '',
    );
    const branches = works.flatMap((work): RankedBranch[] => {
      const { head, repository: place = '', branch } = work;
      if (head === undefined || !branch || (repository !== undefined && place !== repository)) return [];
      return [{ _id: head, repository: place, branch: branch.text, cost_usd: costOf(costs.get(head) ?? []) }];
    });
    const each = [...new Map(branches.map((branch) => [branch._id, branch])).values()];
    const listed = pageOfSorted(each, 'cost_usd', page);
    const shown = new Map(listed.rows.map(({ _id }) => [_id, costs.get(_id) ?? []]));
    const sessions = await sumSessions(ctx, reader, { costs: shown, calls }, transaction);
    const rows = listed.rows.map(({ _id, repository: place, branch }) => ({
      repository: place,
      branch,
      ...viewCosts(organization, userId, { rows: shown.get(_id) ?? [], sessions: sessions.get(_id) }),
    }));
    return { ...listed, rows };
  });
}

function costOf(rows: readonly WorkSums[]): number {
  return Number(totalOf(rows).cost_nusd);
}
