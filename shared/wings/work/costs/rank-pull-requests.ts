import type { ClientSession } from 'mongoose';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { boundsOf, type RangeInput } from '../../../core/calls/usage/range.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { type Listed, type ListPage, pageOfSorted } from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import { type PullRequest, pullRequestRows } from '../pull-requests/model.ts';
import { fits, matchOf, type PullRequestFilter, viewPage } from './list-pull-requests.ts';
import { type CostedRows, type Costs, pullRequestsOfSums, readCosts, readCostsOfUser } from './read-costs.ts';
import type { CallTime } from './sum-sessions.ts';
import { totalOf } from './sum-works.ts';
import { sumWorksIn } from './sum-works-in.ts';
import type { CostedPullRequest } from './view.ts';

export const PULL_REQUEST_SORTS = ['opened_at', 'cost_usd'] as const;

export interface Ranking {
  sort: (typeof PULL_REQUEST_SORTS)[number];
  /** The time of the calls that count, epoch ms, as `boundsOf` takes it; null: all, and pull requests without calls too. */
  calls: Pick<RangeInput, 'fromMs' | 'toMs'> | null;
}

/** Pull requests that are put in order for each page; more are a 400. */
const MOST_ORDERED = 5_000;

/**
 * One page of pull requests ordered by (cost, id), or of those with calls in a time, whose figures are then those of that time. For
 * one user they are those that the user has calls on. Throws `invalid_request` for too many to order, and for a time that the
 * rollups that are kept cannot tell exactly.
 */
export async function rankPullRequests(
  ctx: Context,
  organization: Organization,
  { userId, filter, ranking }: { userId: string | null; filter: PullRequestFilter; ranking: Ranking },
  page: ListPage,
): Promise<Listed<CostedPullRequest>> {
  const orgId = organization._id;
  const calls = ranking.calls && boundsOf(ctx, ranking.calls);
  return inTransaction(ctx.db, async (transaction) => {
    const { rows, costs } = calls
      ? await readCalled(ctx, organization, { userId, calls }, transaction)
      : userId !== null
        ? await readCostsOfUser(ctx, { orgId, userId }, transaction)
        : await readAll(ctx, orgId, filter, transaction);
    const costed = rows
      .filter((row) => fits(row, filter))
      .map((row) => ({ _id: row._id, opened_at: row.opened_at, cost_usd: costOf(costs, row), row }));
    const listed = pageOfSorted(costed, ranking.sort, page);
    const shown = listed.rows.map(({ row }) => row);
    return {
      ...listed,
      rows: await viewPage(ctx, organization, { userId, rows: shown, costs, calls }, transaction),
    };
  });
}

/** Nano-USD, which orders as US dollars do. */
function costOf(costs: Costs, { _id }: PullRequest): number {
  return Number(totalOf(costs.get(_id) ?? []).cost_nusd);
}

async function readAll(
  ctx: Context,
  orgId: string,
  filter: PullRequestFilter,
  transaction: ClientSession,
): Promise<CostedRows> {
  const { fromMs, toMs } = filter;
  const opened_at = {
    ...(fromMs === undefined ? {} : { $gte: dateAt(fromMs) }),
    ...(toMs === undefined ? {} : { $lt: dateAt(toMs) }),
  };
  const matching = {
    ...matchOf(orgId, filter),
    ...(fromMs === undefined && toMs === undefined ? {} : { opened_at }),
  };
  const rows = await pullRequestRows(ctx)
    .find(matching, { session: transaction, limit: MOST_ORDERED + 1 })
    .toArray();
  if (rows.length > MOST_ORDERED)
    throw new DomainError(
      'invalid_request',
      `More than ${MOST_ORDERED} pull requests would be put in order: ask for those of a repository, or with calls in a time ` +
        '(`calls_from`).',
    );
  return { rows, costs: await readCosts(ctx, { orgId, userId: null }, rows, transaction) };
}

async function readCalled(
  ctx: Context,
  organization: Organization,
  { userId, calls }: { userId: string | null; calls: CallTime },
  transaction: ClientSession,
): Promise<CostedRows> {
  const sums = await sumWorksIn(ctx, organization, { userId, calls }, transaction);
  return pullRequestsOfSums(ctx, organization._id, sums, transaction);
}
