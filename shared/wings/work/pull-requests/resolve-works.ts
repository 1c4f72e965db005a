import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { inSteps } from '../../../platform/mongo/find-by-ids.ts';
import { type BoundaryRow, boundaryRows, type WorkRow, workRows } from '../attribution/model.ts';
import {
  type BranchFacts,
  type Head,
  type Rename,
  resolvePullRequest,
} from '../attribution/resolve-pull-request.ts';
import { type PullRequest, pullRequestRows } from './model.ts';

/** The pull request that a work belongs to. */
export interface Owner extends Head {
  id: string;
  /** The base repository. */
  repository: string;
}

/** How many renames are followed, as `resolvePullRequest` does. */
const MOST_STEPS = 10;

/**
 * The pull request of each work that is on one, by the id of the work. A stretch of a branch begins with each end and each rename,
 * so all calls of a work are on the same one.
 */
export async function pullRequestsOfWorks(
  ctx: Context,
  orgId: string,
  works: readonly WorkRow[],
  transaction: ClientSession,
): Promise<ReadonlyMap<string, Owner>> {
  const heads = new Set(works.flatMap(({ head }) => head ?? []));
  const facts = await readBranchFacts(ctx, orgId, heads, transaction);
  const owned = works.flatMap(({ _id, head, since }) => {
    const owner = head === undefined ? null : resolvePullRequest(head, since, facts);
    return owner ? [[_id, owner] as const] : [];
  });
  return new Map(owned);
}

export async function worksOfPullRequests(
  ctx: Context,
  orgId: string,
  pullRequests: readonly Pick<PullRequest, '_id' | 'head'>[],
  transaction: ClientSession,
): Promise<ReadonlyMap<string, WorkRow[]>> {
  const heads = new Set(pullRequests.flatMap(({ head }) => head ?? []));
  const branches = await withFormerNames(ctx, heads, transaction);
  const works = await inSteps([...branches], (keys) =>
    workRows(ctx)
      .find({ org_id: orgId, head: { $in: keys } }, { session: transaction })
      .toArray(),
  );
  const owners = await pullRequestsOfWorks(ctx, orgId, works, transaction);
  const wanted = new Set(pullRequests.map(({ _id }) => _id));
  const owned = works.filter(({ _id }) => wanted.has(owners.get(_id)?.id ?? ''));
  return Map.groupBy(owned, ({ _id }) => owners.get(_id)?.id ?? '');
}

/** These branches, those that they were renamed to, and so on: their pull requests and their renames. */
async function readBranchFacts(
  ctx: Context,
  orgId: string,
  branches: ReadonlySet<string>,
  transaction: ClientSession,
): Promise<BranchFacts<Owner>> {
  const heads = new Map<string, Owner[]>();
  const renames = new Map<string, Rename[]>();
  let next = new Set(branches);
  for (let step = 0; step <= MOST_STEPS && next.size > 0; step += 1) {
    const rows = await readHeads(ctx, orgId, next, transaction);
    const renamed = await inSteps([...next], (keys) =>
      boundaryRows(ctx)
        .find({ branch: { $in: keys } }, { session: transaction })
        .toArray(),
    );
    for (const key of next) heads.set(key, []);
    for (const { head, owner } of rows) heads.get(head)?.push(owner);
    for (const [key, own] of Map.groupBy(renamed.flatMap(renameOf), ({ branch }) => branch))
      renames.set(
        key,
        own.toSorted((a, b) => a.atMs - b.atMs),
      );
    next = new Set(renamed.flatMap(({ renamed_to }) => renamed_to ?? []).filter((key) => !heads.has(key)));
  }
  for (const own of heads.values()) own.sort((a, b) => a.openedMs - b.openedMs || a.number - b.number);
  return { heads, renames };
}

function renameOf({ branch, at, renamed_to }: BoundaryRow): (Rename & { branch: string })[] {
  return renamed_to === undefined ? [] : [{ branch, atMs: at.getTime(), to: renamed_to }];
}

async function readHeads(
  ctx: Context,
  orgId: string,
  branches: ReadonlySet<string>,
  transaction: ClientSession,
): Promise<{ head: string; owner: Owner }[]> {
  const projection = { head: 1, number: 1, repository: 1, opened_at: 1, closed_at: 1 };
  const rows = await inSteps([...branches], (keys) =>
    pullRequestRows(ctx)
      .find({ org_id: orgId, head: { $in: keys } }, { session: transaction, projection })
      .toArray(),
  );
  return rows.map(({ _id: id, head, number, repository, opened_at, closed_at }) => ({
    head: head ?? '',
    owner: {
      id,
      repository,
      number,
      openedMs: opened_at.getTime(),
      closedMs: closed_at?.getTime() ?? null,
    },
  }));
}

/** Branches with the names that they had before, whose work they go on with. */
async function withFormerNames(
  ctx: Context,
  branches: ReadonlySet<string>,
  transaction: ClientSession,
): Promise<ReadonlySet<string>> {
  const all = new Set(branches);
  let next: ReadonlySet<string> = branches;
  for (let step = 0; step < MOST_STEPS && next.size > 0; step += 1) {
    const before = await inSteps([...next], (keys) =>
      boundaryRows(ctx)
        .find({ renamed_to: { $in: keys } }, { session: transaction })
        .toArray(),
    );
    next = new Set(before.map(({ branch }) => branch).filter((key) => !all.has(key)));
    for (const key of next) all.add(key);
  }
  return all;
}
