import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import { findByIds } from '../platform/mongo/find-by-ids.ts';
import { type WorkRow, workRows } from './model.ts';
import { hashesMeant } from './names.ts';

/** The fields of a call that its work gives. */
export const WORK_FIELDS = ['repository', 'branch', 'task'] as const;
export type WorkField = (typeof WORK_FIELDS)[number];

/** The names of a work as they are shown: null for what it has not. */
export type NamedWork = Record<WorkField, string | null>;
/** The names of a call that belongs to no work. */
export const NO_WORK: NamedWork = { repository: null, branch: null, task: null };
/** Named works by their ids. */
export type WorkNames = ReadonlyMap<string, NamedWork>;

/** The names of works by their ids; an empty id is none. */
export async function readWorkNames(
  ctx: Context,
  ids: ReadonlySet<string>,
  transaction: ClientSession | undefined,
): Promise<WorkNames> {
  const named = [...ids].filter((id) => id !== '');
  if (named.length === 0) return new Map();
  const rows = await findByIds(workRows(ctx), named, transaction);
  return new Map(rows.map((row) => [row._id, nameWork(row)]));
}

function nameWork({ repository, branch, task }: WorkRow): NamedWork {
  return { repository: repository ?? null, branch: branch?.text ?? null, task: task?.text ?? null };
}

/** A filter by the fields of a work: plain names, or the hashes of names. */
export type WorkFilter = Partial<Record<WorkField, string | undefined>>;

/** The ids of the works that have these values; undefined where none is asked for. */
export async function findWorks(
  ctx: Context,
  orgId: string,
  { repository, branch, task }: WorkFilter,
): Promise<string[] | undefined> {
  const hashes = (text: string) => ({ $in: hashesMeant(ctx, orgId, text) });
  const conditions = [
    ...(task === undefined ? [] : [{ 'task.hash': hashes(task) }]),
    ...(branch === undefined ? [] : [{ 'branch.hash': hashes(branch) }]),
    ...(repository === undefined ? [] : [{ repository }]),
  ];
  const [first, ...others] = conditions;
  if (!first) return undefined;
  const rows = await workRows(ctx)
    .aggregate<{ _id: string }>([
      { $match: { org_id: orgId, ...first } },
      ...others.map((condition) => ({ $match: condition })),
      { $project: { _id: 1 } },
    ])
    .toArray();
  return rows.map(({ _id }) => _id);
}
