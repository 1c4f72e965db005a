import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { dateAt } from '../basics/clock.ts';
import { commitPlan } from '../context/commit-plan.ts';
import type { Context } from '../context/context.ts';
import { ALL_COUNTER_SHARDS } from '../mongo/counter-shards.ts';
import { deleteRows, insertRow, type Write } from '../mongo/writes.ts';
import { type DueJob, type DueRow, dueId, dueRows } from './model.ts';

export type Claim<Details> = DueRow & Details & { claim_id: string };

/**
 * Moves what was raised for a key, over all shards, into one claimed row, where it stays until `finishClaim`: what is
 * raised meanwhile makes a row of its own, and a worker that dies leaves its claim to the sweeper. A second worker
 * claims what the first one has on top of its own, and only the last to claim it finishes it. `merge` makes one of the
 * rows' details. Null when nothing is due.
 */
export async function claimDue<Details extends object>(
  ctx: Context,
  job: DueJob,
  key: string,
  merge: (rows: readonly (DueRow & Details)[]) => Details,
): Promise<Claim<Details> | null> {
  const isAnyDue = await dueRows(ctx).findOne({ _id: { $in: idsOf(job, key) } });
  if (!isAnyDue) return null;
  return commitPlan(ctx, async (transaction) => {
    const rows = (await findDue(ctx, job, key, transaction)) as (DueRow & Details)[];
    const [first] = rows;
    if (!first) return { result: null };
    const claim: Claim<Details> = {
      _id: dueId(job, key, 'claimed'),
      kind: job.kind,
      key,
      org_id: first.org_id,
      due_at: dateAt(Math.min(...rows.map(({ due_at }) => due_at.getTime()))),
      failures: Math.max(...rows.map(({ failures }) => failures ?? 0)),
      claim_id: randomUUID(),
      ...merge(rows),
    };
    const ids = rows.map(({ _id }) => _id);
    // When two workers claim at once, one meets a conflict at the delete and reads again.
    const writes = [deleteRows(dueRows, { _id: { $in: ids } }), insertRow(dueRows, claim)];
    return { writes, result: claim };
  });
}

/** The write that ends a claim whose work is done, unless another worker has claimed it meanwhile. */
export function finishClaim(claim: Claim<object>): Write {
  return deleteRows(dueRows, ownRow(claim));
}

/** Ends a claim as `finishClaim` does, where the work was more than one transaction. */
export async function endClaim(ctx: Context, claim: Claim<object>): Promise<void> {
  await dueRows(ctx).deleteOne(ownRow(claim));
}

function ownRow({ _id, claim_id }: Claim<object>): Pick<Claim<object>, '_id' | 'claim_id'> {
  return { _id, claim_id };
}

/** Every row of a kind for a key: the plain one, one per shard, and the claimed one. */
export async function findDue(
  ctx: Context,
  job: DueJob,
  key: string,
  transaction: ClientSession,
): Promise<DueRow[]> {
  return dueRows(ctx)
    .find({ _id: { $in: idsOf(job, key) } }, { session: transaction })
    .toArray();
}

function idsOf(job: DueJob, key: string): string[] {
  const shards = [undefined, ...ALL_COUNTER_SHARDS, 'claimed' as const];
  return shards.map((shard) => dueId(job, key, shard));
}
