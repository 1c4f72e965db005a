import type { Organization } from '../../../core/accounts/organizations/model.ts';
import type { Reader } from '../../../core/accounts/organizations/reader.ts';
import { type Listed, type ListPage, pageOfSorted } from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { listRows } from '../../../platform/mongo/list-rows.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import {
  noSuchPullRequest,
  type PullRequest,
  pullRequestId,
  pullRequestRows,
} from '../pull-requests/model.ts';
import type { PullRequestState } from '../pull-requests/report.ts';
import { readCosts, readCostsOfUser } from './read-costs.ts';
import { type CostedPullRequest, viewCosted } from './view.ts';

export interface PullRequestFilter {
  repository?: string | undefined;
  number?: number | undefined;
  state?: PullRequestState | undefined;
  /** Epoch ms; `opened_at` in [fromMs, toMs). */
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

/** Pull requests that one user sees, the newest. */
const MOST_OF_USER = 1_000;

/** One page of pull requests with their costs, by (`opened_at`, id): for one user those that it has calls on. */
export async function listPullRequests(
  ctx: Context,
  organization: Organization,
  { userId, filter }: { userId: string | null; filter: PullRequestFilter },
  page: ListPage,
): Promise<Listed<CostedPullRequest>> {
  const orgId = organization._id;
  if (userId !== null) return listOfUser(ctx, organization, { userId, filter }, page);
  const found = await findPage(ctx, orgId, filter, page);
  const costs = await inTransaction(ctx.db, (transaction) =>
    readCosts(ctx, { orgId, userId }, found.rows, transaction),
  );
  return { ...found, rows: found.rows.map((row) => viewCosted(organization, row, costs.get(row._id) ?? [])) };
}

async function findPage(
  ctx: Context,
  orgId: string,
  filter: PullRequestFilter,
  page: ListPage,
): Promise<Listed<PullRequest>> {
  const { repository, number, state, fromMs, toMs } = filter;
  if (repository !== undefined && number !== undefined) {
    const row = await pullRequestRows(ctx).findOne({ _id: pullRequestId(orgId, repository, number) });
    return pageOfSorted(row && fits(row, filter) ? [row] : [], 'opened_at', page);
  }
  const matching = {
    org_id: orgId,
    ...(repository === undefined ? {} : { repository }),
    ...(state === undefined ? {} : { state }),
    ...(number === undefined ? {} : { number }),
  };
  const latestMs = ctx.clock.now() + AHEAD_MS;
  const range = { fromMs: fromMs ?? 0, toMs: Math.min(toMs ?? latestMs, latestMs) };
  return listRows(ctx, pullRequestRows, matching, 'opened_at', { ...page, ...range });
}

/** Times of reports are at most 5 minutes ahead. */
const AHEAD_MS = 10 * 60_000;

async function listOfUser(
  ctx: Context,
  organization: Organization,
  { userId, filter }: { userId: string; filter: PullRequestFilter },
  page: ListPage,
): Promise<Listed<CostedPullRequest>> {
  const { rows, costs } = await inTransaction(ctx.db, (transaction) =>
    readCostsOfUser(ctx, { orgId: organization._id, userId }, transaction),
  );
  const newest = pageOfSorted(rows, 'opened_at', { order: 'desc', limit: MOST_OF_USER, after: null }).rows;
  const listed = pageOfSorted(
    newest.filter((row) => fits(row, filter)),
    'opened_at',
    page,
  );
  return {
    ...listed,
    rows: listed.rows.map((row) => viewCosted(organization, row, costs.get(row._id) ?? [])),
  };
}

/** Returns whether a pull request meets a filter. */
export function fits(
  row: PullRequest,
  { repository, number, state, fromMs, toMs }: PullRequestFilter,
): boolean {
  const openedMs = row.opened_at.getTime();
  return (
    (repository === undefined || row.repository === repository) &&
    (number === undefined || row.number === number) &&
    (state === undefined || row.state === state) &&
    (fromMs === undefined || openedMs >= fromMs) &&
    (toMs === undefined || openedMs < toMs)
  );
}

/** A pull request with its costs, as a reader sees them. */
export async function costPullRequest(
  ctx: Context,
  organization: Organization,
  userId: string | null,
  row: PullRequest,
): Promise<CostedPullRequest> {
  const reader = { orgId: organization._id, userId };
  const costs = await inTransaction(ctx.db, (transaction) => readCosts(ctx, reader, [row], transaction));
  return viewCosted(organization, row, costs.get(row._id) ?? []);
}

/** One pull request. Throws `not_found`: another organization's looks like one that never was. */
export async function getPullRequest(ctx: Context, { orgId }: Reader, id: string): Promise<PullRequest> {
  const row = await pullRequestRows(ctx).findOne({ _id: id, org_id: orgId });
  if (!row) throw noSuchPullRequest();
  return row;
}
