import type { Context } from '../../../platform/context/context.ts';
import type { Bucket, Reason } from '../buckets.ts';
import { type LedgerRow, ledgerRows } from '../model.ts';

export interface Walk {
  /** The rows of `bottom`..`top` by their `seq`, `limit` of them at most. */
  top: number;
  bottom: number;
  limit: number;
  /** Rows that are read at once: first so many, then four times as many each time, up to `longest`. */
  first: number;
  longest: number;
  bucket?: Bucket | undefined;
  reason?: Reason | undefined;
  fields: Partial<Record<keyof LedgerRow, 1>>;
}

/**
 * The rows of an account that match, newest first, in chunks. Bucket and reason are in no index, so it reads ranges of `seq`:
 * that has no gap, and a page costs the same at any depth.
 */
export async function* walkLedger<Row extends Partial<LedgerRow>>(
  ctx: Context,
  accountId: string,
  { top, bottom, limit, first, longest, bucket, reason, fields }: Walk,
): AsyncGenerator<Row[]> {
  const wanted = { ...(bucket === undefined ? {} : { bucket }), ...(reason === undefined ? {} : { reason }) };
  let left = limit;
  let length = first;
  for (let high = top; high >= bottom && left > 0; high -= length, length = Math.min(length * 4, longest)) {
    const range = { $gt: Math.max(bottom - 1, high - length), $lte: high };
    const rows = await ledgerRows(ctx)
      .aggregate<Row>([
        { $match: { account_id: accountId, seq: range } },
        // A stage of its own, so that only rows that match leave the store.
        ...(Object.keys(wanted).length > 0 ? [{ $match: wanted }] : []),
        { $sort: { seq: -1 } },
        { $limit: Math.min(left, length) },
        { $project: fields },
      ])
      .toArray();
    left -= rows.length;
    if (rows.length > 0) yield rows;
  }
}
