import type { Context } from '../../platform/context/context.ts';
import type { Bucket, Reason } from '../buckets.ts';
import { type LedgerRow, ledgerRows } from '../model.ts';
import { catchUp } from './catch-up.ts';

export interface LedgerFilter {
  bucket?: Bucket | undefined;
  reason?: Reason | undefined;
  /** Unix seconds; `created_at` in [from, to). */
  from?: number | undefined;
  to?: number | undefined;
}

export interface LedgerPage {
  /** Only rows before this one; null begins at the newest. */
  beforeSeq: number | null;
  limit: number;
  /** Whether the receipts of spends are read too: they are most of a row. */
  withReceipts?: boolean;
}

const FIRST_RANGE = 1_000;
/** Half a megabyte of answer, which is what a stream holds while nobody reads it. */
const LONGEST_RANGE = 5_000;
/** With receipts a row is five times as long. */
const LONGEST_RANGE_OF_RECEIPTS = 1_000;
const FIELDS = { seq: 1, delta: 1, bucket: 1, reason: 1, created_at: 1 } as const;
const RECEIPT_FIELDS = { device_id: 1, receipt: 1 } as const;

export type LedgerItem = Pick<
  LedgerRow,
  '_id' | 'seq' | 'delta' | 'bucket' | 'reason' | 'created_at' | 'device_id' | 'receipt'
>;

/**
 * The rows of an account that match, newest first, in chunks. What was answered before this was called is in it. A row's
 * `seq` has no gap and its time never falls with it, so ranges of `seq` serve every filter, and a page costs the same at
 * any depth.
 */
export async function* readLedger(
  ctx: Context,
  accountId: string,
  filter: LedgerFilter,
  { beforeSeq, limit, withReceipts = false }: LedgerPage,
): AsyncGenerator<LedgerItem[]> {
  const newest = beforeSeq === null ? await catchUp(ctx, accountId) : beforeSeq - 1;
  const { from, to } = filter;
  const top =
    to === undefined ? newest : Math.min(newest, (await firstSeqAt(ctx, accountId, to, newest)) - 1);
  const bottom = from === undefined ? 1 : await firstSeqAt(ctx, accountId, from, newest);
  const longest = withReceipts ? LONGEST_RANGE_OF_RECEIPTS : LONGEST_RANGE;
  let left = limit;
  let length = Math.min(limit, FIRST_RANGE);
  for (let high = top; high >= bottom && left > 0; high -= length, length = Math.min(length * 4, longest)) {
    const range = { $gt: Math.max(bottom - 1, high - length), $lte: high };
    const rows = await findRows(ctx, { account_id: accountId, seq: range }, filter, withReceipts);
    const matching = rows.slice(0, left);
    left -= matching.length;
    if (matching.length > 0) yield matching;
  }
}

/** Newest first. Bucket and reason are in no index: a stage of their own, so that only what matches leaves the store. */
async function findRows(
  ctx: Context,
  range: { account_id: string; seq: { $gt: number; $lte: number } },
  { bucket, reason }: LedgerFilter,
  withReceipts: boolean,
): Promise<LedgerItem[]> {
  const wanted = { ...(bucket === undefined ? {} : { bucket }), ...(reason === undefined ? {} : { reason }) };
  return ledgerRows(ctx)
    .aggregate<LedgerItem>([
      { $match: range },
      ...(Object.keys(wanted).length > 0 ? [{ $match: wanted }] : []),
      { $sort: { seq: -1 } },
      { $project: withReceipts ? { ...FIELDS, ...RECEIPT_FIELDS } : FIELDS },
    ])
    .toArray();
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
