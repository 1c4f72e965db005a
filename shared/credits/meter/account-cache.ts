import type { Context } from '../../platform/context/context.ts';
import type { Anchor, Bucket } from './model.ts';
import { type Interval, monthAt } from './month.ts';

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

interface AccountCache {
  accounts: Map<string, CachedAccount>;
  /** Device id by token id. */
  devices: Map<string, string>;
}

const LIMIT = 200_000;
const caches = new WeakMap<Context['redis'], AccountCache>();

/** The account cache of this process. */
export function accountCacheOf(ctx: Context): AccountCache {
  const cache = caches.get(ctx.redis) ?? { accounts: new Map(), devices: new Map() };
  caches.set(ctx.redis, cache);
  if (cache.accounts.size > LIMIT) cache.accounts.clear();
  if (cache.devices.size > LIMIT) cache.devices.clear();
  return cache;
}

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
