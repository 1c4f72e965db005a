import type { Tier } from '../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../platform/mongo/collection.ts';
import { anything, nullable, type ObjectOf, object, only, optional } from '../../platform/mongo/fields.ts';
import { userId } from '../accounts/organizations/user-id.ts';
import type { Bucket, Reason } from './buckets.ts';

const ANCHOR = {
  /** 1..31 */
  day: Number,
  /** `HH:MM:SS` */
  time: String,
  timezone: String,
};

/** The start of an account's months, by a wall clock. The 31st is the last day of a shorter month. */
export interface Anchor extends ObjectOf<typeof ANCHOR> {}

export const creditAccountRows = collection('credit_accounts', {
  about: 'A member’s account of credits: the plan, and when its months begin.',
  fields: {
    /** The member's id. */
    _id: String,
    org_id: String,
    user_id: userId,
    plan: only<Tier>(String),
    anchor: object(ANCHOR),
    created_at: Date,
    /** The `seq` through which its ledger rows have no receipts any more. */
    receipts_gone_through: optional(Number),
  },
  indexes: [{ key: { org_id: 1, user_id: 1 } }],
});

/** The account of one member: the part that Redis cannot lose. */
export interface CreditAccount extends RowOf<typeof creditAccountRows> {}

export const deviceTokenRows = collection('device_tokens', {
  about: 'The keyed hash of the token that a device spends with.',
  fields: {
    /** The device's id. */
    _id: String,
    account_id: String,
    token_id: String,
    /** Keyed hash of the token. */
    token_hmac: String,
    revoked_at: nullable(Date),
    /** When it last spent, to the minute. */
    last_seen_at: nullable(Date),
  },
  indexes: [{ key: { account_id: 1 } }],
});

/** The token that a device spends with. Redis holds the same beside the balance, and is rebuilt from here. */
export interface DeviceToken extends RowOf<typeof deviceTokenRows> {}

export type Balance = [window: number, monthly: number, paid: number, granted: number];

/** The fields of a ledger row that readers are shown. */
export type LedgerItem = Pick<
  LedgerRow,
  '_id' | 'seq' | 'delta' | 'bucket' | 'reason' | 'created_at' | 'device_id' | 'balance'
>;

export const ledgerRows = collection('ledger', {
  about: 'One change of one bucket of credits. It is never changed.',
  fields: {
    /** `transactionId` */
    _id: String,
    account_id: String,
    /** 1, 2, 3 … without a gap in each account. */
    seq: Number,
    delta: Number,
    bucket: only<Bucket>(String),
    reason: only<Reason>(String),
    /** Unix seconds; never falls from one `seq` to the next. */
    created_at: Number,
    /** Hashes of the idempotency key, and of the request that came with it. */
    idk: optional(String),
    fingerprint: optional(String),
    /** A spend has its device and, for as long as a repeat may need it, the signed receipt. */
    device_id: optional(String),
    receipt: optional(String),
    /** Credits that are left after it. Among rows that were written together, the last one has it. */
    balance: optional(only<Balance>([Number])),
    /** Beside the balance of a change: the buckets whose period was over, so that the next spend finds them full. */
    over: optional(only<Bucket[]>([String])),
    /** A row that opens a window or month has its start and end (epoch ms), and its credits in all. */
    period: optional(only<[startMs: number, endMs: number, limit: number]>([anything])),
    /** A row of paid or granted credits has the id of its lot, and when that expires (epoch ms; 0 is never). */
    lot: optional(only<[id: string, expiresMs: number]>([anything])),
  },
  shardKey: { account_id: 1, seq: 1 },
  indexes: [
    { key: { account_id: 1, seq: 1 }, unique: true },
    // Not unique: a key that is used again after 48 h has another row. Not partial: `$in` would scan (docs/stores.md).
    { key: { idk: 1, account_id: 1 } },
  ],
});

/** One change of one bucket of one account. Kept for ever, and never changed but for its receipt, which goes once no repeat can ask for it. */
export interface LedgerRow extends RowOf<typeof ledgerRows> {}

/** The id of a ledger row: the account's own letters, and the row's number in it. */
export function transactionId(accountId: string, seq: number): string {
  return `txn_${accountId.slice(accountId.indexOf('_') + 1)}_${seq}`;
}

export const ledgerFenceRows = collection('ledger_fences', {
  about: 'The last row that a shard of the ledger has written.',
  fields: {
    /** `00`..`63` */
    _id: String,
    n: Number,
    /** Stream id of the last entry that the ledger holds: a Redis whose stream ends earlier has lost something. */
    last_id: String,
    /** Identity of the Redis data that the shard was last opened for: only its entries go into the ledger. */
    epoch: String,
  },
});

/** One row per shard. Every transaction that writes the shard's ledger raises `n`, so that a stalled writer fails. */
export interface LedgerFence extends RowOf<typeof ledgerFenceRows> {}

/** The alerts of an account: each is true from when its total fell to the level until something lifted it above. */
export const creditAlertRows = collection('credit_alerts', {
  about: 'The alerts of an account that have been raised and not yet been reset.',
  fields: {
    /** The account. */
    _id: String,
    low: Boolean,
    depleted: Boolean,
  },
});

export const paidCheckoutRows = collection('paid_checkouts', {
  about: 'A payment, and the account that its credits went to.',
  fields: {
    /** The id that Stripe gave it. */
    _id: String,
    account_id: String,
    paid_at: Date,
  },
});

export const signingKeyRows = collection('signing_keys', {
  about: 'The public half of a key that has signed receipts.',
  fields: {
    /** The `kid`. */
    _id: String,
    x: String,
    created_at: Date,
  },
});

/** The public half of a key that has signed. Old ones stay, so that old receipts can be checked. */
export interface SigningKey extends RowOf<typeof signingKeyRows> {}
