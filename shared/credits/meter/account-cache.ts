import type { Interval } from '../../platform/basics/interval.ts';
import { boundedCache } from '../../platform/context/cache.ts';
import type { Context } from '../../platform/context/context.ts';
import { BUCKETS, type Bucket } from '../buckets.ts';
import type { Anchor } from '../model.ts';
import { decodeAnchor, monthAt } from './anchor.ts';

/** The account as of its last answer: enough to sign the next receipt before asking. It may be stale. */
export interface CachedAccount {
  org: string;
  user: string;
  anchor: Anchor;
  month: Interval | null;
  windowEndMs: number | null;
  /** The bucket from which the next credit will come while those periods run. */
  bucket: Bucket | null;
}

/** By account id. */
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

type Values = readonly (string | null)[];

/** Notes an account and its device, as the answers `month` and `bucket` of `consume.lua` name them. */
export function cacheAccount(
  ctx: Context,
  { accountId, tokenId }: { accountId: string; tokenId: string },
  code: 'month' | 'bucket',
  values: Values,
): void {
  const [bucket, windowEnd, monthStart, monthEnd, anchor, device, org, user] =
    code === 'bucket' ? values : ['', '', '', '', ...values];
  cachedDevices(ctx).set(tokenId, device ?? '');
  cachedAccounts(ctx).set(accountId, {
    org: org ?? '',
    user: user ?? '',
    anchor: decodeAnchor(anchor ?? ''),
    month: monthBetween(monthStart, monthEnd),
    windowEndMs: windowEnd ? Number(windowEnd) : null,
    bucket: bucketOf(bucket),
  });
}

/** Notes the next bucket of an account and its periods, as the answer `spent` names them. */
export function cacheSpent(ctx: Context, accountId: string, values: Values): void {
  const [, , bucket, windowEnd, monthStart, monthEnd] = values;
  const account = cachedAccounts(ctx).get(accountId);
  if (!account) return;
  account.bucket = bucketOf(bucket);
  account.windowEndMs = windowEnd ? Number(windowEnd) : null;
  account.month = monthBetween(monthStart, monthEnd) ?? account.month;
}

/** The bucket of that name, or null. */
export function bucketOf(text: string | null | undefined): Bucket | null {
  return BUCKETS.find((bucket) => bucket === text) ?? null;
}

function monthBetween(start: string | null | undefined, end: string | null | undefined): Interval | null {
  return start && end ? { startMs: Number(start), endMs: Number(end) } : null;
}
