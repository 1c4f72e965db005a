import type { Plan } from '../../platform/basics/contract.ts';
import { collection } from '../../platform/mongo/collection.ts';

/** In the order in which they are spent. `consume.lua` has the same order, and `bucket-order.test.ts` compares the two. */
export const BUCKETS = ['window', 'monthly', 'paid', 'granted'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Why a bucket changed. */
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

/** What a device spends with. Redis holds the same beside the balance, and is rebuilt from here. */
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
  indexes: [{ key: { account_id: 1 } }],
});
