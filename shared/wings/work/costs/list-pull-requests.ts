import type { ClientSession } from 'mongoose';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import type { Reader } from '../../../core/accounts/organizations/reader.ts';
import { given } from '../../../platform/basics/given.ts';
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
import { type CostedRows, readCosts, readCostsOfUser } from './read-costs.ts';
import { type CallTime, sumSessions } from './sum-sessions.ts';
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
  const costed = await inTransaction(ctx.db, async (transaction) => {
    const costs = await readCosts(ctx, { orgId, userId }, found.rows, transaction);
    return viewPage(ctx, organization, { userId, rows: found.rows, costs, calls: null }, transaction);
  });
  return { ...found, rows: costed };
}

export async function viewPage(
  ctx: Context,
  organization: Organization,
  { userId, rows, costs, calls }: CostedRows & { userId: string | null; calls: CallTime | null },
  transaction: ClientSession,
): Promise<CostedPullRequest[]> {
  const shown = new Map(rows.map(({ _id }) => [_id, costs.get(_id) ?? []]));
  const reader = { orgId: organization._id, userId };
  const sessions = await sumSessions(ctx, reader, { costs: shown, calls }, transaction);
  return rows.map((row) =>
    viewCosted(organization, userId, row, {
      rows: shown.get(row._id) ?? [],
      sessions: sessions.get(row._id),
    }),
  );
}

async function findPage(ctx: Context, orgId: string, filter: PullRequestFilter, page: ListPage) {
  const { repository, number, fromMs, toMs } = filter;
  if (repository !== undefined && number !== undefined) {
    const row = await pullRequestRows(ctx).findOne({ _id: pullRequestId(orgId, repository, number) });
    return pageOfSorted(row && fits(row, filter) ? [row] : [], 'opened_at', page);
  }
  const matching = matchOf(orgId, filter);
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
  return inTransaction(ctx.db, async (transaction) => {
    const { rows, costs } = await readCostsOfUser(ctx, { orgId: organization._id, userId }, transaction);
    const newest = pageOfSorted(rows, 'opened_at', { order: 'desc', limit: MOST_OF_USER, after: null }).rows;
    const listed = pageOfSorted(
      newest.filter((row) => fits(row, filter)),
      'opened_at',
      page,
    );
    const asked = { userId, rows: listed.rows, costs, calls: null };
    return { ...listed, rows: await viewPage(ctx, organization, asked, transaction) };
  });
}

/** The part of a filter that asks for equal fields, as the store takes it. */
export function matchOf(orgId: string, { repository, number, state }: PullRequestFilter) {
  return { org_id: orgId, ...given({ repository, number, state }) };
}

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

export async function costPullRequest(
  ctx: Context,
  organization: Organization,
  userId: string | null,
  row: PullRequest,
): Promise<CostedPullRequest> {
  const reader = { orgId: organization._id, userId };
  return inTransaction(ctx.db, async (transaction) => {
    const costs = await readCosts(ctx, reader, [row], transaction);
    const sessions = await sumSessions(ctx, reader, { costs, calls: null }, transaction);
    return viewCosted(organization, userId, row, {
      rows: costs.get(row._id) ?? [],
      sessions: sessions.get(row._id),
    });
  });
}

/** One pull request. Throws `not_found`: another organization's looks like one that never was. */
export async function getPullRequest(ctx: Context, { orgId }: Reader, id: string): Promise<PullRequest> {
  const row = await pullRequestRows(ctx).findOne({ _id: id, org_id: orgId });
  if (!row) throw noSuchPullRequest();
  return row;
}
