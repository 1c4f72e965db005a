import { hashedKey } from '../../../platform/basics/ids.ts';
import type { Context } from '../../../platform/context/context.ts';
import { collection } from '../../../platform/mongo/collection.ts';
import type { Db } from '../../../platform/mongo/connect.ts';
import { ALL_COUNTER_SHARDS } from '../../../platform/mongo/counter-shards.ts';
import { optional } from '../../../platform/mongo/fields.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import type { Migration } from '../../../platform/mongo/schema.ts';
import { updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { type PullRequest, pullRequestRows } from './model.ts';
import { PULL_REQUEST_STATES, type PullRequestState } from './report.ts';

/**
 * The number of pull requests of a repository by state, as the sum of its shards: equal to the rows of these, of which counting
 * 10,000 would take the embedded store 38 ms, and longer beside other work (docs/adr/0241).
 */
interface PullRequestCounts extends Partial<Record<PullRequestState, number>> {
  /** `countsId(...)`. */
  _id: string;
  org_id: string;
  repository: string;
}

export const pullRequestCountRows = collection<PullRequestCounts>('pull_request_counts', {
  about: 'The number of pull requests of a repository by state.',
  fields: {
    _id: String,
    org_id: String,
    repository: String,
    open: optional(Number),
    closed: optional(Number),
    merged: optional(Number),
  },
  indexes: [{ key: { org_id: 1 } }],
});

function countsId(orgId: string, repository: string, shard: number): string {
  return hashedKey(18, orgId, repository, shard);
}

/**
 * The write that counts a pull request in a counter shard, which belongs in the transaction that stores or deletes it; none where
 * its state stays. Pure.
 */
export function planCount(
  { org_id, repository }: PullRequest,
  { before, after }: Readonly<Record<'before' | 'after', PullRequestState | undefined>>,
  shard: number,
): Write[] {
  if (before === after) return [];
  const $inc = { ...(after ? { [after]: 1 } : {}), ...(before ? { [before]: -1 } : {}) };
  const update = { $inc, $setOnInsert: { org_id, repository } };
  const _id = countsId(org_id, repository, shard);
  return [updateRow(pullRequestCountRows, { _id }, update, { upsert: true })];
}

/** The counts of one repository, or of all of an organization. */
export async function readCounts(
  ctx: Context,
  orgId: string,
  repository?: string,
): Promise<PullRequestCounts[]> {
  if (repository === undefined) return pullRequestCountRows(ctx).find({ org_id: orgId }).toArray();
  const ids = ALL_COUNTER_SHARDS.map((shard) => countsId(orgId, repository, shard));
  return findByIds(pullRequestCountRows(ctx), ids, undefined);
}

/** The number of pull requests in these counts, of one state or of all. Pure. */
export function totalIn(counts: readonly PullRequestCounts[], state?: PullRequestState): number {
  const states = state === undefined ? PULL_REQUEST_STATES : [state];
  return counts.flatMap((row) => states.map((name) => row[name] ?? 0)).reduce((sum, count) => sum + count, 0);
}

/** Counts the pull requests of earlier versions. */
export const countPullRequests: Migration = {
  version: 3,
  what: 'pull requests are counted by repository and state',
  run: async (db: Db) => {
    const groups = await pullRequestRows({ db })
      .aggregate<{ _id: Pick<PullRequest, 'org_id' | 'repository' | 'state'>; count: number }>([
        {
          $group: {
            _id: { org_id: '$org_id', repository: '$repository', state: '$state' },
            count: { $sum: 1 },
          },
        },
      ])
      .toArray();
    for (const { _id: of, count } of groups) {
      const { org_id, repository, state } = of;
      await pullRequestCountRows({ db }).updateOne(
        { _id: countsId(org_id, repository, 0) },
        { $set: { org_id, repository, [state]: count } },
        { upsert: true },
      );
    }
  },
};
