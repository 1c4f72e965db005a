import type { Plan } from '../platform/basics/contract.ts';
import { collection } from '../platform/mongo/collection.ts';

export const BUCKETS = ['window', 'monthly', 'paid', 'granted'] as const;
/** In the order in which they are spent (interface 4.4). */
export type Bucket = (typeof BUCKETS)[number];

/** Where an account's months begin: day and time of a wall clock; the 31st is the last day of a shorter month. */
export interface Anchor {
  /** 1..31 */
  day: number;
  /** `HH:MM:SS` */
  time: string;
  timezone: string;
}

/** What Redis cannot lose: that there is an account, and what it began with. One member is one account. */
export interface CreditAccount {
  /** The member's id. */
  _id: string;
  org_id: string;
  user_id: string;
  plan: Plan;
  anchor: Anchor;
  created_at: Date;
}

export const creditAccountRows = collection<CreditAccount>('credit_accounts', {
  indexes: [{ key: { org_id: 1, user_id: 1 } }],
});

export const REASONS = [
  'receipt',
  'credit.grant',
  'credit.purchase',
  'window.reset',
  'monthly.reset',
  'credit.expire',
  'credit.refund',
  'credit.adjust',
] as const;
export type Reason = (typeof REASONS)[number];

/** One change of one bucket of one account (interface 2.5). Kept for ever, never changed. */
export interface LedgerRow {
  /** `account:idk` for what an idempotency key asked for, so that the key's second use is noticed; else `account:#seq`. */
  _id: string;
  account_id: string;
  /** 1, 2, 3 … without a gap in each account. */
  seq: number;
  delta: number;
  bucket: Bucket;
  reason: Reason;
  /** Unix seconds; never falls from one `seq` to the next. */
  created_at: number;
  /** Hash of the idempotency key, and of the request that came with it. */
  idk?: string;
  fingerprint?: string;
  device_id?: string;
  /** Of a window or month: start and end (epoch ms), credits in all. */
  period?: [startMs: number, endMs: number, limit: number];
  /** Of paid and granted credits: id, when they expire (epoch ms; 0 is never). */
  lot?: [id: string, expiresMs: number];
}

export const ledgerRows = collection<LedgerRow>('ledger', {
  indexes: [{ key: { account_id: 1, seq: 1 }, unique: true }],
});

/** The answer to an idempotency key, for 48 h: what Redis holds too. */
export interface StoredAnswer {
  /** `account:idk` */
  _id: string;
  account_id: string;
  idk: string;
  fingerprint: string;
  answer: string;
  expires_at: Date;
}

export const storedAnswerRows = collection<StoredAnswer>('stored_answers', {
  indexes: [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }],
});

/** One row a shard. Whoever writes the shard's ledger raises `n` in the same transaction: a stalled writer fails. */
export interface LedgerFence {
  /** `00`..`63` */
  _id: string;
  n: number;
  /** Stream id of the last entry that the ledger holds: a Redis whose stream ends earlier has lost something. */
  last_id: string;
}

export const ledgerFenceRows = collection<LedgerFence>('ledger_fences', {});

/** Public halves of every key that has signed; old ones stay, so that old receipts can be checked. */
export interface SigningKey {
  /** The `kid`. */
  _id: string;
  x: string;
  created_at: Date;
}

export const signingKeyRows = collection<SigningKey>('signing_keys', {});
