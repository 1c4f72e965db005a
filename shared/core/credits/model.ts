import type { Tier } from '../../platform/basics/contract.ts';
import { collection } from '../../platform/mongo/collection.ts';
import { anything, nullable, object, optional } from '../../platform/mongo/fields.ts';
import { userId } from '../accounts/organizations/user-id.ts';
import type { Bucket, Reason } from './buckets.ts';

/** The start of an account's months, by a wall clock. The 31st is the last day of a shorter month. */
export interface Anchor {
  /** 1..31 */
  day: number;
  /** `HH:MM:SS` */
  time: string;
  timezone: string;
}

/** The account of one member: the part that Redis cannot lose. */
export interface CreditAccount {
  /** The member's id. */
  _id: string;
  org_id: string;
  user_id: string;
  plan: Tier;
  anchor: Anchor;
  created_at: Date;
  /** The `seq` through which its ledger rows have no receipts any more. */
  receipts_gone_through?: number;
}

export const creditAccountRows = collection<CreditAccount>('credit_accounts', {
  about: 'A member’s account of credits: the plan, and when its months begin.',
  fields: {
    _id: String,
    org_id: String,
    user_id: userId,
    plan: String,
    anchor: object({ day: Number, time: String, timezone: String }),
    created_at: Date,
    receipts_gone_through: optional(Number),
  },
  indexes: [{ key: { org_id: 1, user_id: 1 } }],
});

/** The token that a device spends with. Redis holds the same beside the balance, and is rebuilt from here. */
export interface DeviceToken {
  /** The device's id. */
  _id: string;
  account_id: string;
  /** The id inside the token. */
  token_id: string;
  /** Keyed hash of the token. */
  token_hmac: string;
  revoked_at: Date | null;
  /** When it last spent, to the minute. */
  last_seen_at: Date | null;
}

export const deviceTokenRows = collection<DeviceToken>('device_tokens', {
  about: 'The keyed hash of the token that a device spends with.',
  fields: {
    _id: String,
    account_id: String,
    token_id: String,
    token_hmac: String,
    revoked_at: nullable(Date),
    last_seen_at: nullable(Date),
  },
  indexes: [{ key: { account_id: 1 } }],
});

export type Balance = [window: number, monthly: number, paid: number, granted: number];

/** One change of one bucket of one account. Kept for ever, and never changed but for its receipt, which goes once no repeat can ask for it. */
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
  /** A spend has its device and, for as long as a repeat may need it, the signed receipt. */
  device_id?: string;
  receipt?: string;
  /** Credits that are left after it. Among rows that were written together, the last one has it. */
  balance?: Balance;
  /** A row that opens a window or month has its start and end (epoch ms), and its credits in all. */
  period?: [startMs: number, endMs: number, limit: number];
  /** A row of paid or granted credits has the id of its lot, and when that expires (epoch ms; 0 is never). */
  lot?: [id: string, expiresMs: number];
}

/** The fields of a ledger row that readers are shown. */
export type LedgerItem = Pick<
  LedgerRow,
  '_id' | 'seq' | 'delta' | 'bucket' | 'reason' | 'created_at' | 'device_id' | 'balance'
>;

export const ledgerRows = collection<LedgerRow>('ledger', {
  about: 'One change of one bucket of credits. It is never changed.',
  fields: {
    _id: String,
    account_id: String,
    seq: Number,
    delta: Number,
    bucket: String,
    reason: String,
    created_at: Number,
    idk: optional(String),
    fingerprint: optional(String),
    device_id: optional(String),
    receipt: optional(String),
    balance: optional([Number]),
    period: optional([anything]),
    lot: optional([anything]),
  },
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

/** One row per shard. Every transaction that writes the shard's ledger raises `n`, so that a stalled writer fails. */
export interface LedgerFence {
  /** `00`..`63` */
  _id: string;
  n: number;
  /** Stream id of the last entry that the ledger holds: a Redis whose stream ends earlier has lost something. */
  last_id: string;
  /** Identity of the Redis data that the shard was last opened for: only its entries go into the ledger. */
  epoch: string;
}

export const ledgerFenceRows = collection<LedgerFence>('ledger_fences', {
  about: 'The last row that a shard of the ledger has written.',
  fields: {
    _id: String,
    n: Number,
    last_id: String,
    epoch: String,
  },
});

/** The alerts of an account: each is true from when its total fell to the level until something lifted it above. */
export interface CreditAlertRow {
  /** The account. */
  _id: string;
  low: boolean;
  depleted: boolean;
}

export const creditAlertRows = collection<CreditAlertRow>('credit_alerts', {
  about: 'The alerts of an account that have been raised and not yet been reset.',
  fields: {
    _id: String,
    low: Boolean,
    depleted: Boolean,
  },
});

/** A Checkout Session that was paid, and the one account that it is granted to. */
export interface PaidCheckout {
  /** The id that Stripe gave it. */
  _id: string;
  account_id: string;
  paid_at: Date;
}

export const paidCheckoutRows = collection<PaidCheckout>('paid_checkouts', {
  about: 'A payment, and the account that its credits went to.',
  fields: {
    _id: String,
    account_id: String,
    paid_at: Date,
  },
});

/** The public half of a key that has signed. Old ones stay, so that old receipts can be checked. */
export interface SigningKey {
  /** The `kid`. */
  _id: string;
  x: string;
  created_at: Date;
}

export const signingKeyRows = collection<SigningKey>('signing_keys', {
  about: 'The public half of a key that has signed receipts.',
  fields: {
    _id: String,
    x: String,
    created_at: Date,
  },
});
