import { collection } from '../../platform/mongo/collection.ts';
import type { Balance } from '../meter/idempotency.ts';
import type { Bucket, Reason } from '../meter/model.ts';

/** One change of one bucket of one account. Kept for ever, never changed. A spend's row holds its receipt. */
export interface LedgerRow {
  /** `transactionId` */
  _id: string;
  account_id: string;
  /** 1, 2, 3 … without a gap in each account. */
  seq: number;
  delta: number;
  bucket: Bucket;
  reason: Reason;
  /** Unix seconds; never falls from one `seq` to the next. */
  created_at: number;
  /** Hashes of the idempotency key, and of the request that came with it. */
  idk?: string;
  fingerprint?: string;
  /** Of a spend: who spent, and the signed receipt. */
  device_id?: string;
  receipt?: string;
  /** Credits that are left after it. Of rows that were written together, the last one has it. */
  balance?: Balance;
  /** Of a window or month: start and end (epoch ms), credits in all. */
  period?: [startMs: number, endMs: number, limit: number];
  /** Of paid and granted credits: id, when they expire (epoch ms; 0 is never). */
  lot?: [id: string, expiresMs: number];
}

export const ledgerRows = collection<LedgerRow>('ledger', {
  shardKey: { account_id: 1, seq: 1 },
  indexes: [
    { key: { account_id: 1, seq: 1 }, unique: true },
    // Not unique: a key that is used again after 48 h has another row. Not partial: `$in` would scan (docs/stores.md).
    { key: { idk: 1, account_id: 1 } },
  ],
});

/** The id of a ledger row: the account's own letters, and the row's number in it. */
export function transactionId(accountId: string, seq: number): string {
  return `txn_${accountId.slice(accountId.indexOf('_') + 1)}_${seq}`;
}

/** One row per shard. Whoever writes the shard's ledger raises `n` in the same transaction: a stalled writer fails. */
export interface LedgerFence {
  /** `00`..`63` */
  _id: string;
  n: number;
  /** Stream id of the last entry that the ledger holds: a Redis whose stream ends earlier has lost something. */
  last_id: string;
  /** Identity of the Redis data that the shard was last opened for: only its entries go into the ledger. */
  epoch: string;
}

/**
 * What an account was alerted of: true from when its total fell to a level until something lifted it above. It is written
 * only where a row crosses a level.
 */
export interface CreditAlertRow {
  /** The account. */
  _id: string;
  low: boolean;
  depleted: boolean;
}

export const creditAlertRows = collection<CreditAlertRow>('credit_alerts', {});

export const ledgerFenceRows = collection<LedgerFence>('ledger_fences', {});
