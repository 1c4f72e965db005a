import type { Interval } from '../../platform/basics/interval.ts';
import { boundedCache } from '../../platform/context/cache.ts';
import type { Bucket } from '../buckets.ts';
import type { Anchor } from '../model.ts';
import { monthAt } from './month.ts';

/** What the last answer said of an account: enough to sign the next receipt before asking. It may be stale. */
export interface CachedAccount {
  org: string;
  user: string;
  anchor: Anchor;
  month: Interval | null;
  windowEndMs: number | null;
  /** The bucket from which the next credit will come while those periods run. */
  bucket: Bucket | null;
}

/** What this process last heard of accounts, by account id. */
export const cachedAccounts = boundedCache<string, CachedAccount>({ max: 200_000 });

/** The device of a token, by token id. */
export const cachedDevices = boundedCache<string, string>({ max: 200_000 });

/** The bucket of the next credit. A period that is over is full again, so the credit comes from the first of those. */
export function predictBucket(account: CachedAccount, nowMs: number): Bucket {
  if (account.bucket === null || (account.windowEndMs !== null && nowMs >= account.windowEndMs))
    return 'window';
  const monthIsOver = account.month !== null && nowMs >= account.month.endMs;
  return monthIsOver && account.bucket !== 'window' ? 'monthly' : account.bucket;
}

/** The month that holds `nowMs`, computed only when it turned. */
export function monthOf(account: CachedAccount, nowMs: number): Interval {
  const { month } = account;
  if (month && month.startMs <= nowMs && nowMs < month.endMs) return month;
  account.month = monthAt(account.anchor, nowMs);
  return account.month;
}
