import type { ClientSession } from 'mongoose';
import type { Context } from '../../platform/context/context.ts';
import { type LedgerRow, ledgerRows } from './model.ts';

/** A ledger row by what its idempotency key says. */
export type KeyedRow = Required<Pick<LedgerRow, 'account_id' | 'seq' | 'idk' | 'fingerprint'>>;

/** The rows that have any of these idempotency keys: one seek per key, however long the ledger is. */
export function findByKeys(
  ctx: Context,
  keys: readonly Pick<KeyedRow, 'account_id' | 'idk'>[],
  transaction?: ClientSession,
): Promise<KeyedRow[]> {
  const idks = new Set(keys.map(({ idk }) => idk));
  const accounts = new Set(keys.map(({ account_id }) => account_id));
  return ledgerRows(ctx)
    .aggregate<KeyedRow>(
      [
        { $match: { idk: { $in: [...idks] } } },
        // It only names the shards to ask. In one stage with the keys it would scan (docs/stores.md).
        { $match: { account_id: { $in: [...accounts] } } },
        { $project: { _id: 0, account_id: 1, seq: 1, idk: 1, fingerprint: 1 } },
      ],
      transaction ? { session: transaction } : {},
    )
    .toArray();
}
