import type { ClientSession } from 'mongoose';
import type { AskedNames, WorkFilter } from '../../../core/calls/sessions/dimension.ts';
import { type NamedWork, WORK_FIELDS, type WorkNames } from '../../../core/calls/signals/place.ts';
import { labelOf, readLabel } from '../../../core/calls/signals/pull-request-label.ts';
import type { Context } from '../../../platform/context/context.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import { type WorkRow, workRows } from '../attribution/model.ts';
import { hashesMeant } from '../attribution/names.ts';
import { pullRequestId, pullRequestRows } from './model.ts';
import { type Owner, pullRequestsOfWorks, worksOfPullRequests } from './resolve-works.ts';

/** The names of works by their ids, as a transaction sees them. Without `pull_request` among the fields that one is null. */
export async function readWorkNames(
  ctx: Context,
  orgId: string,
  { ids, fields = WORK_FIELDS }: AskedNames,
  transaction: ClientSession,
): Promise<WorkNames> {
  const named = [...ids].filter((id) => id !== '');
  if (named.length === 0) return new Map();
  const rows = await findByIds(workRows(ctx), named, transaction);
  const owners = fields.includes('pull_request')
    ? await pullRequestsOfWorks(ctx, orgId, rows, transaction)
    : new Map<string, Owner>();
  return new Map(rows.map((row) => [row._id, nameWork(row, owners.get(row._id))]));
}

function nameWork({ repository, branch, task }: WorkRow, owner: Owner | undefined): NamedWork {
  return {
    repository: repository ?? null,
    branch: branch?.text ?? null,
    pull_request: owner ? labelOf(owner) : null,
    task: task?.text ?? null,
  };
}

/** The ids of the works that have these values; undefined where none is asked for. */
export async function findWorks(
  ctx: Context,
  orgId: string,
  { pull_request, ...filter }: WorkFilter,
): Promise<string[] | undefined> {
  const conditions = conditionsOf(ctx, orgId, filter);
  if (pull_request !== undefined) {
    const owned = await idsOfPullRequest(ctx, orgId, pull_request);
    return conditions.length === 0 ? owned : findIds(ctx, [{ _id: { $in: owned } }, ...conditions]);
  }
  const [first, ...others] = conditions;
  return first && findIds(ctx, [{ org_id: orgId, ...first }, ...others]);
}

function conditionsOf(ctx: Context, orgId: string, { repository, branch, task }: WorkFilter): object[] {
  const hashes = (text: string) => ({ $in: hashesMeant(ctx, orgId, text) });
  return [
    ...(task === undefined ? [] : [{ 'task.hash': hashes(task) }]),
    ...(branch === undefined ? [] : [{ 'branch.hash': hashes(branch) }]),
    ...(repository === undefined ? [] : [{ repository }]),
  ];
}

/** The ids of the works that meet all conditions; an index holds the first. */
async function findIds(ctx: Context, conditions: readonly object[]): Promise<string[]> {
  const rows = await workRows(ctx)
    .aggregate<{ _id: string }>([
      ...conditions.map((condition) => ({ $match: condition })),
      { $project: { _id: 1 } },
    ])
    .toArray();
  return rows.map(({ _id }) => _id);
}

async function idsOfPullRequest(ctx: Context, orgId: string, label: string): Promise<string[]> {
  const name = readLabel(label);
  if (!name) return [];
  const _id = pullRequestId(orgId, name.repository, name.number);
  const works = await inTransaction(ctx.db, async (transaction) => {
    const row = await pullRequestRows(ctx).findOne({ _id, org_id: orgId }, { session: transaction });
    return row ? worksOfPullRequests(ctx, orgId, [row], transaction) : new Map<string, WorkRow[]>();
  });
  return (works.get(_id) ?? []).map((work) => work._id);
}
