import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { untilReplicated } from '../../platform/context/until-replicated.ts';
import { type AccountKeys, accountKeys } from '../../platform/redis/keys.ts';
import { spendsDecided } from '../metrics.ts';
import { bucketOf, cacheAccount, cachedAccounts, cacheSpent, monthOf } from './account-cache.ts';
import { callConsume, type SpendReply } from './call-consume.ts';
import { decodeBalance, digest, keyDigest, type SpendOutcome } from './idempotency.ts';
import { type PreparedReceipt, prepareReceipt } from './prepare-receipt.ts';
import { creditNow, redisNow } from './redis-time.ts';

export interface Spend {
  accountId: string;
  tokenId: string;
  tokenHmac: string;
  idempotencyKey: string;
  outputSha256: string;
  kind?: string | undefined;
}

/** The spend was carried out now, or it had been before: then its receipt is in that row, or still in its entry. */
export type SpendDecision = { code: 'spent'; outcome: SpendOutcome } | ({ code: 'replay' } & SpendPlace);

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
export async function decideSpend(ctx: Context, spend: Spend): Promise<SpendDecision> {
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
    if (code === 'spent') cacheSpent(ctx, request.accountId, values);
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

function spent({ bucket, jws: receipt }: PreparedReceipt, [balance, at]: Values): SpendDecision {
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

function replayed(idk: string, [seq, ...entry]: Values): SpendDecision {
  return { code: 'replay', seq: Number(seq), idk, entry: entry.map((text) => text ?? '') };
}

/** The error of a spend that `consume.lua` refused: nothing was written. */
function refusalOf(
  code: Exclude<SpendReply['code'], 'spent' | 'replay' | 'month' | 'bucket'>,
  values: Values,
) {
  switch (code) {
    case 'token':
      return new DomainError('unauthorized', 'Send a valid credential as "Authorization: Bearer …".');
    case 'reused':
      return new DomainError('idempotency_key_reused', 'This Idempotency-Key was used for another output.');
    case 'empty':
      return insufficient(secondsOf(values[0]), secondsOf(values[1]));
    case 'unsigned':
      return new DomainError('signing_unavailable', 'No receipt can be signed now. Nothing was spent.');
    case 'full':
      return new DomainError('backpressure', 'The ledger lags too far behind. Nothing was spent.');
    case 'late':
      return new DomainError(
        'store_unavailable',
        'Redis was reached too late. Nothing was spent; try again.',
      );
  }
}

function insufficient(windowEnds: number | null, monthEnds: number | null): DomainError {
  const refills = [windowEnds, monthEnds].filter((time) => time !== null);
  return new DomainError('insufficient_credits', 'Needs 1 credit, has 0.', {
    balances: {
      window: { credits: 0, resets_at: windowEnds },
      monthly: { credits: 0, resets_at: monthEnds },
      paid: { credits: 0, resets_at: null },
      granted: { credits: 0, resets_at: null },
    },
    next_refill: refills.length > 0 ? Math.min(...refills) : null,
  });
}

function secondsOf(ms: string | null | undefined): number | null {
  return ms ? Math.ceil(Number(ms) / 1_000) : null;
}
