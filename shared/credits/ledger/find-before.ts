import type { ClientSession } from 'mongoose';
import type { Context } from '../../platform/context/context.ts';
import { type LedgerRow, ledgerRows } from './model.ts';

/** Rows that are searched at once. What is looked for is mostly near. */
const FIRST_RANGE = 100;
const LONGEST_RANGE = 1_000;

/**
 * The newest row of an account before a row of it that matches `wanted`, or null. It walks back by ranges of `seq`: `wanted`
 * is in no index, and the embedded store would read the whole ledger (docs/stores.md).
 */
export async function findBefore(
  ctx: Context,
  { account_id, seq }: Pick<LedgerRow, 'account_id' | 'seq'>,
  wanted: object,
  transaction?: ClientSession,
): Promise<LedgerRow | null> {
  let length = FIRST_RANGE;
  for (let to = seq; to > 1; to -= length, length = LONGEST_RANGE) {
    const [found] = await ledgerRows(ctx)
      .aggregate<LedgerRow>(
        [
          { $match: { account_id, seq: { $gte: to - length, $lt: to } } },
          { $match: wanted },
          { $sort: { seq: -1 } },
          { $limit: 1 },
        ],
        transaction ? { session: transaction } : {},
      )
      .toArray();
    if (found) return found;
  }
  return null;
}
