import { DomainError, isCode } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { shardOf } from '../../platform/redis/keys.ts';
import { lookAtShards } from '../meter/look-at-shards.ts';
import { readAccount } from '../meter/read-balance.ts';
import { creditAccountRows, ledgerRows } from '../model.ts';
import { drainStreams, projectRound } from './project-ledger.ts';

const PATIENCE_MS = 5_000;

/** Brings the ledger of an account up to its last answer and returns the `seq` of that. Throws `store_unavailable`. */
export async function catchUp(ctx: Context, accountId: string): Promise<number> {
  const shard = shardOf(accountId);
  const seq = await lastSeq(ctx, accountId);
  if (seq === 'missing') {
    if (!(await creditAccountRows(ctx).findOne({ _id: accountId }, { projection: { _id: 1 } }))) return 0;
    await catchUpShard(ctx, shard);
    return lastSeqOfLedger(ctx, accountId);
  }
  if (seq === 'rebuilding') {
    if ((await drainStreams(ctx, [shard])).size > 0) throw lagging();
    return lastSeqOfLedger(ctx, accountId);
  }
  const deadline = performance.now() + PATIENCE_MS;
  while (
    seq > 0 &&
    !(await ledgerRows(ctx).findOne({ account_id: accountId, seq }, { projection: { _id: 1 } }))
  ) {
    const { moved, stuck } = await projectRound(ctx, [shard]);
    if (moved > 0) continue;
    if (stuck.size > 0 || performance.now() > deadline) throw lagging();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return seq;
}

/** Moves what the stream of a shard holds now. Throws `store_unavailable`. */
export async function catchUpShard(ctx: Context, shard: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let left = await entriesOf(ctx, shard);
  while (left > 0) {
    const { moved, stuck } = await projectRound(ctx, [shard]);
    if (stuck.size > 0) throw lagging();
    // Another one moves them.
    left = moved > 0 ? left - moved : await entriesOf(ctx, shard);
    if (left > 0 && performance.now() > deadline) throw lagging();
  }
}

async function entriesOf(ctx: Context, shard: number): Promise<number> {
  const [look] = await lookAtShards(ctx, [shard]);
  return look?.length ?? 0;
}

function lagging(): DomainError {
  return new DomainError('store_unavailable', 'The ledger lags too far behind.');
}

/**
 * The last `seq` as Redis has it. While the shard is checked against the ledger, and of an account that Redis does not
 * have, the ledger knows best.
 */
async function lastSeq(ctx: Context, accountId: string): Promise<number | 'rebuilding' | 'missing'> {
  try {
    return (await readAccount(ctx, accountId))?.state.seq ?? 'missing';
  } catch (error) {
    if (isCode(error, 'rebuilding')) return 'rebuilding';
    throw error;
  }
}

async function lastSeqOfLedger(ctx: Context, accountId: string): Promise<number> {
  const [last] = await ledgerRows(ctx).find({ account_id: accountId }).sort({ seq: -1 }).limit(1).toArray();
  return last?.seq ?? 0;
}
