import { hash } from 'node:crypto';
import { BUCKETS, type Bucket, REASONS, type Reason } from './model.ts';

/** A repeat of an idempotency key finds its answer for this long after it was given. */
export const RECORD_KEPT_S = 48 * 3_600;

/** What one spend was answered: the same for each repeat. */
export interface SpendOutcome {
  receipt: string;
  bucket: Bucket;
  /** Credits left in window, monthly, paid, granted. */
  balance: Balance;
  /** Unix seconds. */
  created_at: number;
}
export type Balance = [window: number, monthly: number, paid: number, granted: number];

/** A digest of what identifies a request: SHA-256 over the unambiguous JSON of the parts, 43 characters. */
export function digest(...parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/** The hash of an idempotency key, of its own for each account: the ledger finds many of them by one index of hashes. */
export function keyDigest(
  accountId: string,
  operation: 'consume' | 'grant' | 'refund',
  key: string | number,
): string {
  return digest(operation, accountId, key);
}

/** The outcome of a spend as `consume.lua` writes it. */
export function encodeSpendOutcome({ receipt, bucket, balance, created_at }: SpendOutcome): string {
  return `${bucket},${balance.join(',')},${created_at}\n${receipt}`;
}

/** Reads what `encodeSpendOutcome` wrote. Throws for anything else. */
export function decodeSpendOutcome(text: string): SpendOutcome {
  const [head = '', receipt] = text.split('\n');
  const [name, window, monthly, paid, granted, at] = head.split(',');
  const bucket = BUCKETS.find((candidate) => candidate === name);
  if (!bucket || receipt === undefined || at === undefined) throw new Error('Not the outcome of a spend');
  const balance: Balance = [Number(window), Number(monthly), Number(paid), Number(granted)];
  return { receipt, bucket, balance, created_at: Number(at) };
}

/** What a change of credits other than a spend was answered. */
export interface ChangeOutcome {
  delta: number;
  bucket: Bucket;
  reason: Reason;
  /** Unix seconds. */
  created_at: number;
}

/** The outcome of a change as `change.lua` writes it. */
export function encodeChangeOutcome({ delta, bucket, reason, created_at }: ChangeOutcome): string {
  return `${delta},${bucket},${reason},${created_at}`;
}

/** Reads what `encodeChangeOutcome` wrote. Throws for anything else. */
export function decodeChangeOutcome(text: string): ChangeOutcome {
  const [delta, name, why, at] = text.split(',');
  const bucket = BUCKETS.find((candidate) => candidate === name);
  const reason = REASONS.find((candidate) => candidate === why);
  if (!bucket || !reason || at === undefined) throw new Error('Not the outcome of a change');
  return { delta: Number(delta), bucket, reason, created_at: Number(at) };
}

/** The bytes that a spend is answered with. */
export function answerOf({ receipt, bucket, balance, created_at }: SpendOutcome): string {
  const [window, monthly, paid, granted] = balance;
  return JSON.stringify({
    receipt,
    delta: -1,
    bucket,
    reason: 'receipt',
    balance: { window, monthly, paid, granted },
    created_at,
  });
}

/** An idempotency record as the scripts write it (`write_record` in `prelude.lua`). */
export function encodeRecord(fingerprint: string, createdAt: number, outcome: string): string {
  return `${fingerprint}\n${createdAt + RECORD_KEPT_S}\n${outcome}`;
}
