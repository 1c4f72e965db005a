import { randomUUID } from 'node:crypto';
import type { Interval } from '../../../platform/basics/interval.ts';
import { within } from '../../../platform/basics/within.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import { BUCKETS, type Bucket } from '../buckets.ts';
import type { Anchor } from '../model.ts';
import { signerOf } from '../receipts/signer.ts';
import { decodeAnchor, monthAt } from './anchor.ts';

/** Sent in place of a bucket when there is no receipt: to ask which one is next, or to get the answer of a repeat only. */
const ASK = '?';
const REPLAY_ONLY = '';

const SIGNING_MS = 300;

/** A receipt that is signed before it is known whether the credit can be spent. */
export interface PreparedReceipt {
  bucket: Bucket | typeof ASK | typeof REPLAY_ONLY;
  jws: string;
}

interface ReceiptRequest {
  accountId: string;
  tokenId: string;
  outputSha256: string;
  kind?: string | undefined;
  /** Hash of the idempotency key. */
  idk: string;
}

/**
 * Signs the receipt for the bucket that the cached account predicts. Never throws: without a cached account it asks, without
 * a signature within 300 ms only a repeat can be answered.
 */
export async function prepareReceipt(
  ctx: Context,
  { accountId, tokenId, outputSha256, kind, idk }: ReceiptRequest,
  nowMs: number,
): Promise<PreparedReceipt> {
  const account = cachedAccounts(ctx).get(accountId);
  const device = cachedDevices(ctx).get(tokenId);
  const signer = signerOf(ctx);
  if (signer.publicKey() === null) return { bucket: REPLAY_ONLY, jws: '' };
  if (!account || device === undefined) return { bucket: ASK, jws: '' };
  const bucket = predictBucket(account, nowMs);
  const claims = {
    iss: ctx.config.baseUrl ?? 'urn:usage-governor',
    sub: account.user,
    org: account.org,
    dev: device,
    jti: randomUUID(),
    iat: Math.floor(nowMs / 1_000),
    bucket,
    delta: -1,
    out: outputSha256,
    idk,
    ...(kind === undefined ? {} : { kind }),
  };
  try {
    const signed = signer.sign(claims);
    return { bucket, jws: typeof signed === 'string' ? signed : await within(SIGNING_MS, 'Signing', signed) };
  } catch (error) {
    ctx.log.error({ err: error }, 'a receipt could not be signed');
    return { bucket: REPLAY_ONLY, jws: '' };
  }
}

/** The account as of its last answer: enough to sign the next receipt before asking. It may be stale. */
interface CachedAccount {
  org: string;
  user: string;
  anchor: Anchor;
  month: Interval | null;
  windowEndMs: number | null;
  /** The bucket from which the next credit will come while those periods run. */
  bucket: Bucket | null;
}

export const cachedAccounts = boundedCache<string, CachedAccount>({ max: 200_000 });

/** The device of a token, by token id. */
export const cachedDevices = boundedCache<string, string>({ max: 200_000 });

/** The bucket of the next credit. A period that is over is full again, so the credit comes from the first of those. */
function predictBucket(account: CachedAccount, nowMs: number): Bucket {
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
