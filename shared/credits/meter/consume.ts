import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { untilReplicated } from '../../platform/context/until-replicated.ts';
import { type AccountKeys, accountKeys } from '../../platform/redis/keys.ts';
import { BUCKETS, type Bucket } from '../buckets.ts';
import { spendsDecided } from '../metrics.ts';
import { type CachedAccount, cachedAccounts, cachedDevices, monthOf } from './account-cache.ts';
import { decodeAnchor } from './account-state.ts';
import { callConsume, type SpendReply } from './call-consume.ts';
import { decodeBalance, digest, keyDigest, type SpendOutcome } from './idempotency.ts';
import { type PreparedReceipt, prepareReceipt } from './prepare-receipt.ts';
import { creditNow, redisNow } from './redis-time.ts';
import { refusalOf } from './refuse-spend.ts';

export interface Spend {
  accountId: string;
  tokenId: string;
  tokenHmac: string;
  idempotencyKey: string;
  outputSha256: string;
  kind?: string | undefined;
}

/** The spend was carried out now, or it had been before: then its receipt is in that row, or still in its entry. */
export type Decision = { code: 'spent'; outcome: SpendOutcome } | ({ code: 'replay' } & SpendPlace);

/** Where the answer of a spend is kept. */
export interface SpendPlace {
  /** The account's ledger row of it. */
  seq: number;
  /** Hash of the idempotency key, which the row must have too. */
  idk: string;
  /** Fields and values of its stream entry; none when that has been moved into the ledger. */
  entry: string[];
}

/** How long after it was sent a spend may still be carried out, by Redis' clock. */
const DEADLINE_MS = 800;
/** Asking, the month turned, the bucket turned: more in a row means that something is wrong. */
const ATTEMPTS = 8;

/**
 * Signs the receipt for the bucket that comes next, then one script call decides. Throws `unauthorized`,
 * `insufficient_credits`, `idempotency_key_reused`, and what nothing was written for: `signing_unavailable`,
 * `rebuilding`, `backpressure`, `store_unavailable`; `outcome_unknown` when no answer came, or too few replicas have it.
 */
export async function decideSpend(ctx: Context, spend: Spend): Promise<Decision> {
  const request = {
    ...spend,
    keys: accountKeys(spend.accountId),
    idk: keyDigest(spend.accountId, 'consume', spend.idempotencyKey),
    fingerprint: digest('output', spend.outputSha256, spend.kind ?? ''),
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const nowMs = await creditNow(ctx, request.keys.shard);
    const receipt = await prepareReceipt(ctx, request, nowMs);
    const { code, values } = await ask(ctx, request, receipt, nowMs);
    if (code === 'month' || code === 'bucket') {
      cacheAccount(ctx, request, code, values);
      continue;
    }
    spendsDecided(ctx).inc({ outcome: code });
    if (code !== 'spent' && code !== 'replay') throw refusalOf(code, values);
    if (code === 'spent') cacheSpent(ctx, request, values);
    await untilReplicated(ctx, request.keys.replicated);
    return code === 'spent' ? spent(receipt, values) : replayed(request.idk, values);
  }
  throw new DomainError('store_unavailable', 'The account changes too fast. Nothing was written; try again.');
}

type Request = Spend & { keys: AccountKeys; idk: string; fingerprint: string };
type Values = SpendReply['values'];

async function ask(
  ctx: Context,
  request: Request,
  receipt: PreparedReceipt,
  nowMs: number,
): Promise<SpendReply> {
  const { keys, idk } = request;
  const account = cachedAccounts(ctx).get(request.accountId);
  const month = account ? monthOf(account, nowMs) : { startMs: '', endMs: '' };
  const deadlineMs = (await redisNow(ctx, keys.shard)) + DEADLINE_MS;
  return callConsume(ctx, {
    keys,
    record: keys.record(idk),
    args: [
      deadlineMs,
      request.tokenId,
      request.tokenHmac,
      request.fingerprint,
      idk,
      receipt.bucket,
      receipt.jws,
      month.startMs,
      month.endMs,
    ],
  });
}

function spent({ bucket, jws: receipt }: PreparedReceipt, [balance, at]: Values): Decision {
  const named = bucketOf(bucket);
  if (named === null) throw new Error('A credit was spent without a receipt');
  const outcome = {
    receipt,
    bucket: named,
    balance: decodeBalance(balance ?? ''),
    created_at: Number(at),
  };
  return { code: 'spent', outcome };
}

function replayed(idk: string, [seq, ...entry]: Values): Decision {
  return { code: 'replay', seq: Number(seq), idk, entry: entry.map((text) => text ?? '') };
}

function cacheSpent(ctx: Context, request: Request, values: Values): void {
  const [, , bucket, windowEnd, monthStart, monthEnd] = values;
  const account = cachedAccounts(ctx).get(request.accountId);
  if (!account) return;
  account.bucket = bucketOf(bucket);
  account.windowEndMs = windowEnd ? Number(windowEnd) : null;
  account.month = monthBetween(monthStart, monthEnd) ?? account.month;
}

function cacheAccount(ctx: Context, request: Request, code: 'month' | 'bucket', values: Values): void {
  const [bucket, windowEnd, monthStart, monthEnd, ...identity] =
    code === 'bucket' ? values : ['', '', '', '', ...values];
  const [anchor, device, org, user] = identity;
  cachedDevices(ctx).set(request.tokenId, device ?? '');
  cachedAccounts(ctx).set(request.accountId, {
    org: org ?? '',
    user: user ?? '',
    anchor: decodeAnchor(anchor ?? ''),
    month: monthBetween(monthStart, monthEnd),
    windowEndMs: windowEnd ? Number(windowEnd) : null,
    bucket: bucketOf(bucket),
  });
}

function bucketOf(text: string | null | undefined): Bucket | null {
  return BUCKETS.find((bucket) => bucket === text) ?? null;
}

function monthBetween(
  start: string | null | undefined,
  end: string | null | undefined,
): CachedAccount['month'] {
  return start && end ? { startMs: Number(start), endMs: Number(end) } : null;
}
