import type { ClientSession } from 'mongoose';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { createPeriodStarts } from '../../../core/calls/usage/calendar.ts';
import { addSums, isZero, noSums } from '../../../core/calls/usage/measures.ts';
import { boundsOf, exactParts } from '../../../core/calls/usage/range.ts';
import { readRollups } from '../../../core/calls/usage/read-rollups.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { type Listed, type ListPage, pageOfSorted } from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import { type PullRequest, pullRequestRows } from '../pull-requests/model.ts';
import { fits, type PullRequestFilter } from './list-pull-requests.ts';
import { type CostedRows, type Costs, pullRequestsOfSums, readCosts, readCostsOfUser } from './read-costs.ts';
import { totalOf, type WorkSums } from './sum-works.ts';
import { type CostedPullRequest, viewCosted } from './view.ts';

export const PULL_REQUEST_SORTS = ['opened_at', 'cost_usd'] as const;

export interface Ranking {
  sort: (typeof PULL_REQUEST_SORTS)[number];
  /** The time of the calls that count, epoch ms; null: all, and pull requests without calls too. */
  calls: CallTime | null;
}

/** `[fromMs, toMs)`, epoch ms. */
type CallTime = { fromMs?: number | undefined; toMs?: number | undefined };

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
  const { rows, costs } = await inTransaction(ctx.db, (transaction) => {
    if (ranking.calls) return readCalled(ctx, organization, { userId, calls: ranking.calls }, transaction);
    if (userId !== null) return readCostsOfUser(ctx, { orgId, userId }, transaction);
    return readAll(ctx, orgId, filter, transaction);
  });
  const costed = rows
    .filter((row) => fits(row, filter))
    .map((row) => ({ _id: row._id, opened_at: row.opened_at, cost_usd: costOf(costs, row), row }));
  const listed = pageOfSorted(costed, ranking.sort, page);
  return {
    ...listed,
    rows: listed.rows.map(({ row }) => viewCosted(organization, row, costs.get(row._id) ?? [])),
  };
}

/** Nano-USD, which orders as US dollars do. */
function costOf(costs: Costs, { _id }: PullRequest): number {
  return Number(totalOf(costs.get(_id) ?? []).cost_nusd);
}

/** All pull requests that an index finds for a filter, with all their costs. */
async function readAll(
  ctx: Context,
  orgId: string,
  { repository, state }: PullRequestFilter,
  transaction: ClientSession,
): Promise<CostedRows> {
  const matching = { org_id: orgId, ...(repository ? { repository } : {}), ...(state ? { state } : {}) };
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

/** The pull requests with calls in a time, with their costs then. */
async function readCalled(
  ctx: Context,
  organization: Organization,
  { userId, calls }: { userId: string | null; calls: CallTime },
  transaction: ClientSession,
): Promise<CostedRows> {
  const sums = await sumWorksIn(ctx, organization, { userId, calls }, transaction);
  return pullRequestsOfSums(ctx, organization._id, sums, transaction);
}

/** The sums of works in a time by user and day. Sums of nothing are left out. */
async function sumWorksIn(
  ctx: Context,
  organization: Organization,
  { userId, calls }: { userId: string | null; calls: CallTime },
  transaction: ClientSession,
): Promise<WorkSums[]> {
  const { fromMs, toMs } = boundsOf(ctx, calls);
  const parts = exactParts(organization, [fromMs, toMs], ctx.clock.now());
  const match = userId === null ? {} : { user_id: userId };
  const columns = ['work', 'user_id', 'start'] as const;
  const found = new Map<string, WorkSums>();
  const startsAt = createPeriodStarts(organization);
  for (const part of parts) {
    for await (const { startMs, cell } of readRollups(
      ctx,
      organization._id,
      { part, match, columns },
      transaction,
    )) {
      const { work = '', user_id = '' } = cell;
      if (work === '') continue;
      const { day } = startsAt(startMs);
      const key = JSON.stringify([work, user_id, day]);
      const row = found.get(key) ?? { work, user_id, start: dateAt(day), sums: noSums() };
      addSums(row.sums, cell, part.sign);
      found.set(key, row);
    }
  }
  return [...found.values()].filter(({ sums }) => !isZero(sums));
}
