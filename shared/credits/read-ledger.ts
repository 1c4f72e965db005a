import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';

import { shardOf } from '../platform/redis/keys.ts';
import { type Bucket, type LedgerRow, ledgerRows, type Reason } from './model.ts';
import { drainStreams, projectRound } from './project-ledger.ts';
import { readAccount } from './read-balance.ts';

export interface LedgerFilter {
  bucket?: Bucket | undefined;
  reason?: Reason | undefined;
  /** Unix seconds; `created_at` in [from, to). */
  from?: number | undefined;
  to?: number | undefined;
}

const PATIENCE_MS = 5_000;
const FIRST_SPAN = 1_000;
/** Half a megabyte of answer, which is what a stream holds while nobody reads it. */
const LONGEST_SPAN = 5_000;
const FIELDS = { _id: 0, seq: 1, delta: 1, bucket: 1, reason: 1, created_at: 1 } as const;

export type LedgerItem = Pick<LedgerRow, 'seq' | 'delta' | 'bucket' | 'reason' | 'created_at'>;

/**
 * The rows of an account that match, newest first, in chunks; only those before `beforeSeq` when it is given. What was
 * answered before this was called is in it. A row's `seq` has no gap and its time never falls with it, so ranges of
 * `seq` serve every filter, and a page costs the same at any depth.
 */
export async function* readLedger(
  ctx: Context,
  accountId: string,
  filter: LedgerFilter,
  page: { beforeSeq: number | null; limit: number },
): AsyncGenerator<LedgerItem[]> {
  const newest = page.beforeSeq === null ? await catchUp(ctx, accountId) : page.beforeSeq - 1;
  const { from, to } = filter;
  const top =
    to === undefined ? newest : Math.min(newest, (await firstSeqAt(ctx, accountId, to, newest)) - 1);
  const bottom = from === undefined ? 1 : await firstSeqAt(ctx, accountId, from, newest);
  let left = page.limit;
  let span = Math.min(page.limit, FIRST_SPAN);
  for (let high = top; high >= bottom && left > 0; high -= span, span = Math.min(span * 4, LONGEST_SPAN)) {
    const range = { $gt: Math.max(bottom - 1, high - span), $lte: high };
    const matching = (await findRows(ctx, { account_id: accountId, seq: range }, filter)).slice(0, left);
    left -= matching.length;
    if (matching.length > 0) yield matching;
  }
}

/** Newest first. Bucket and reason are in no index: a stage of their own, so that only what matches leaves the store. */
async function findRows(
  ctx: Context,
  range: { account_id: string; seq: { $gt: number; $lte: number } },
  { bucket, reason }: LedgerFilter,
): Promise<LedgerItem[]> {
  const wanted = { ...(bucket === undefined ? {} : { bucket }), ...(reason === undefined ? {} : { reason }) };
  return ledgerRows(ctx)
    .aggregate<LedgerItem>([
      { $match: range },
      ...(Object.keys(wanted).length > 0 ? [{ $match: wanted }] : []),
      { $sort: { seq: -1 } },
      { $project: FIELDS },
    ])
    .toArray();
}

/** Brings the ledger of an account up to its last answer and returns the `seq` of that. */
export async function catchUp(ctx: Context, accountId: string): Promise<number> {
  const shard = shardOf(accountId);
  const seq = await lastSeq(ctx, accountId);
  if (seq === null) {
    if ((await drainStreams(ctx, [shard])).size > 0) throw lagging();
    const [last] = await ledgerRows(ctx).find({ account_id: accountId }).sort({ seq: -1 }).limit(1).toArray();
    return last?.seq ?? 0;
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

function lagging(): DomainError {
  return new DomainError('store_unavailable', 'The ledger lags too far behind.');
}

/** As Redis has it; null while the shard is checked against the ledger: then the ledger knows best. */
async function lastSeq(ctx: Context, accountId: string): Promise<number | null> {
  try {
    return (await readAccount(ctx, accountId))?.state.seq ?? 0;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'rebuilding') return null;
    throw error;
  }
}

/** The first `seq` with `created_at >= time`, or `newest + 1`. Times never fall, so this halves. */
async function firstSeqAt(ctx: Context, accountId: string, time: number, newest: number): Promise<number> {
  let low = 1;
  let high = newest + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await ledgerRows(ctx).findOne({ account_id: accountId, seq: middle });
    if (row && row.created_at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
