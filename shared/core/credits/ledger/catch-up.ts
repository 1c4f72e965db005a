import { setTimeout } from 'node:timers/promises';
import { DomainError, isCode } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { shardOf } from '../../../platform/redis/keys.ts';
import { readAccount } from '../meter/account-record.ts';
import { readShardStates } from '../meter/shards.ts';
import { creditAccountRows, ledgerRows } from '../model.ts';
import { drainStreams, projectRound } from './project-ledger.ts';

const PATIENCE_MS = 5_000;

/** Brings the ledger of an account up to its last answer and returns the `seq` of that. Throws `store_unavailable`. */
export async function catchUp(ctx: Context, accountId: string): Promise<number> {
  const shard = shardOf(accountId);
  const seq = await lastSeq(ctx, accountId);
  if (typeof seq !== 'number') {
    if (seq === 'rebuilding' && (await drainStreams(ctx, [shard])).size > 0) throw lagging();
    if (seq === 'missing' && (await isMade(ctx, accountId))) await catchUpShard(ctx, shard);
    return lastSeqOfLedger(ctx, accountId);
  }
  const deadline = performance.now() + PATIENCE_MS;
  while (
    seq > 0 &&
    !(await ledgerRows(ctx).findOne({ account_id: accountId, seq }, { projection: { _id: 1 } }))
  ) {
    const { moved, stalled } = await projectRound(ctx, [shard]);
    if (moved > 0) continue;
    if (stalled.size > 0 || performance.now() > deadline) throw lagging();
    await setTimeout(5);
  }
  return seq;
}

/** Moves the entries that the stream of a shard holds now. Throws `store_unavailable`. */
export async function catchUpShard(ctx: Context, shard: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let left = await entriesOf(ctx, shard);
  while (left > 0) {
    const { moved, stalled } = await projectRound(ctx, [shard]);
    if (stalled.size > 0) throw lagging();
    // Another process moves them.
    left = moved > 0 ? left - moved : await entriesOf(ctx, shard);
    if (left > 0 && performance.now() > deadline) throw lagging();
  }
}

async function entriesOf(ctx: Context, shard: number): Promise<number> {
  const [state] = await readShardStates(ctx, [shard]);
  return state?.length ?? 0;
}

function lagging(): DomainError {
  return new DomainError('store_unavailable', 'The ledger lags too far behind.');
}

/** The last `seq` as Redis has it, unless Redis does not have the account, or its shard is not open. */
async function lastSeq(ctx: Context, accountId: string): Promise<number | 'rebuilding' | 'missing'> {
  try {
    return (await readAccount(ctx, accountId))?.state.seq ?? 'missing';
  } catch (error) {
    if (isCode(error, 'rebuilding')) return 'rebuilding';
    throw error;
  }
}

async function isMade(ctx: Context, accountId: string): Promise<boolean> {
  return (await creditAccountRows(ctx).findOne({ _id: accountId }, { projection: { _id: 1 } })) !== null;
}

/** Rows that are asked for at once. */
const AT_ONCE = 64;

/**
 * The last `seq`, digit by digit to the base of `AT_ONCE`, since there is no gap: for the newest row alone the embedded store reads
 * all rows of the account (docs/stores.md).
 */
async function lastSeqOfLedger(ctx: Context, accountId: string): Promise<number> {
  let last = 0;
  for (let step = AT_ONCE ** 4; step >= 1; step /= AT_ONCE) {
    const seqs = Array.from({ length: AT_ONCE }, (_, at) => last + (at + 1) * step);
    const [row] = await ledgerRows(ctx)
      .find({ account_id: accountId, seq: { $in: seqs } }, { projection: { seq: 1 } })
      .sort({ seq: -1 })
      .limit(1)
      .toArray();
    last = row?.seq ?? last;
  }
  return last;
}
