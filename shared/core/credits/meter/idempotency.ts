import { z } from 'zod';
import { hashedKey } from '../../../platform/basics/ids.ts';
import { BUCKETS, type Bucket, REASONS, type Reason } from '../buckets.ts';
import type { Balance } from '../model.ts';

/** A repeat of an idempotency key finds its answer for this long after it was given. */
export const RECORD_KEPT_S = 48 * 3_600;

/** The answer of one spend: the same for each repeat. Its ledger row holds all of it. */
export interface SpendOutcome {
  receipt: string;
  bucket: Bucket;
  /** Credits left in window, monthly, paid, granted. */
  balance: Balance;
  /** Unix seconds. */
  created_at: number;
}

/** Bytes of SHA-256 that name a request. Two different ones of one account never share them by chance. */
const DIGEST_BYTES = 18;

/** A digest of what identifies a request: 24 characters, because Redis holds two of them per spend for 48 h. */
export function digest(...parts: readonly (string | number)[]): string {
  return hashedKey(DIGEST_BYTES, ...parts);
}

/** The hash of an idempotency key, of its own for each account: the ledger finds many of them by one index of hashes. */
export function keyDigest(
  accountId: string,
  operation: 'consume' | 'grant' | 'refund',
  key: string | number,
): string {
  return digest(operation, accountId, key);
}

/** Where a repeat of a spend finds its answer: its ledger row's `seq`. `consume.lua` adds the id of its entry. */
export function encodeSpendPlace(seq: number): string {
  return `${seq},`;
}

export function isSpendPlace(outcome: string): boolean {
  return /^\d+,[\d-]*$/.test(outcome);
}

/** Reads "window,monthly,paid,granted". Throws for anything else. */
export function decodeBalance(text: string): Balance {
  return balance.parse(text.split(',').map(Number));
}
const balance = z.tuple([z.int(), z.int(), z.int(), z.int()]);

/** The answer of a change of credits other than a spend. */
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
