import type { Context } from '../../../platform/context/context.ts';
import type { Bucket, Reason } from '../buckets.ts';
import { type LedgerItem, ledgerRows } from '../model.ts';
import { catchUp } from './catch-up.ts';
import { walkLedger } from './walk-ledger.ts';

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
  /** Also the device of spends, and the balance after each row. */
  include?: 'details' | undefined;
}

const FIRST_RANGE = 1_000;
/** Half a megabyte of answer, which is what a stream holds while nobody reads it. */
const LONGEST_RANGE = 5_000;
const FIELDS = { seq: 1, delta: 1, bucket: 1, reason: 1, created_at: 1 } as const;
const DETAILS = { device_id: 1, balance: 1 } as const;

/**
 * The rows of an account that match, newest first, in chunks, with every change that was answered before this call. The
 * time of a row never falls with its `seq`, so ranges of `seq` serve every filter.
 */
export async function* readLedger(
  ctx: Context,
  accountId: string,
  { from, to, ...wanted }: LedgerFilter,
  { beforeSeq, limit, include }: LedgerPage,
): AsyncGenerator<LedgerItem[]> {
  const newest = beforeSeq === null ? await catchUp(ctx, accountId) : beforeSeq - 1;
  const top =
    to === undefined ? newest : Math.min(newest, (await firstSeqAt(ctx, accountId, to, newest)) - 1);
  const bottom = from === undefined ? 1 : await firstSeqAt(ctx, accountId, from, newest);
  yield* walkLedger<LedgerItem>(ctx, accountId, {
    top,
    bottom,
    limit,
    first: Math.min(limit, FIRST_RANGE),
    longest: LONGEST_RANGE,
    ...wanted,
    fields: { ...FIELDS, ...(include === 'details' ? DETAILS : {}) },
  });
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
