import type { ClientSession } from 'mongoose';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import type { Reader } from '../../../core/accounts/organizations/reader.ts';
import { dateIn } from '../../../core/calls/usage/calendar.ts';
import type { Context } from '../../../platform/context/context.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { workRows } from '../attribution/model.ts';
import { type PullRequest, pullRequestRows } from '../pull-requests/model.ts';
import { pullRequestsOfWorks, worksOfPullRequests } from '../pull-requests/resolve-works.ts';
import { sumWorks, sumWorksOfUser, totalOf, type WorkSums } from './sum-works.ts';

/** The sums of pull requests by work, user and day, by the ids of pull requests. */
export type Costs = ReadonlyMap<string, readonly WorkSums[]>;

/** The sums of these pull requests, as a reader sees them. */
export async function readCosts(
  ctx: Context,
  reader: Reader,
  pullRequests: readonly Pick<PullRequest, '_id' | 'head'>[],
  transaction: ClientSession,
): Promise<Costs> {
  const works = await worksOfPullRequests(ctx, reader.orgId, pullRequests, transaction);
  const owners = new Map([...works].flatMap(([id, own]) => own.map((work) => [work._id, id] as const)));
  const asked = { works: [...owners.keys()], columns: ['user_id', 'start'] } as const;
  const sums = await sumWorks(ctx, reader, asked, transaction);
  return Map.groupBy(sums, ({ work }) => owners.get(work) ?? '');
}

/** Pull requests, and their sums. */
export interface CostedRows {
  rows: PullRequest[];
  costs: Costs;
}

/** All pull requests that a user has calls on, with their sums. */
export async function readCostsOfUser(
  ctx: Context,
  reader: { orgId: string; userId: string },
  transaction: ClientSession,
): Promise<CostedRows> {
  const sums = await sumWorksOfUser(ctx, reader, transaction);
  return pullRequestsOfSums(ctx, reader.orgId, sums, transaction);
}

/** The pull requests to which sums of works belong, with these. */
export async function pullRequestsOfSums(
  ctx: Context,
  orgId: string,
  sums: readonly WorkSums[],
  transaction: ClientSession,
): Promise<CostedRows> {
  const ids = [...new Set(sums.map(({ work }) => work))];
  const works = await findByIds(workRows(ctx), ids, transaction);
  const owners = await pullRequestsOfWorks(ctx, orgId, works, transaction);
  const owned = sums.filter(({ work }) => owners.has(work));
  const costs = Map.groupBy(owned, ({ work }) => owners.get(work)?.id ?? '');
  return { costs, rows: await findByIds(pullRequestRows(ctx), [...costs.keys()], transaction) };
}

/** The sums of one pull request in one line; its days are dates in the organization's timezone. */
export function sumUp(organization: Pick<Organization, 'timezones'>, rows: readonly WorkSums[]) {
  const days = rows.flatMap(({ start }) => start?.getTime() ?? []).toSorted((a, b) => a - b);
  const dayOf = (at: number | undefined) => (at === undefined ? null : dateOf(organization, at));
  return {
    sums: totalOf(rows),
    people: new Set(rows.map(({ user_id }) => user_id)).size,
    first_day: dayOf(days[0]),
    last_day: dayOf(days.at(-1)),
  };
}

/** The date of a moment in the timezone that held then. */
export function dateOf({ timezones }: Pick<Organization, 'timezones'>, atMs: number): string {
  return dateIn(timezones, atMs).toString();
}
