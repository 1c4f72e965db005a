import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { untilReplicated } from '../../../platform/context/send-script.ts';
import { type AccountKeys, accountKeys } from '../../../platform/redis/keys.ts';
import { callConsume, type SpendReply } from '../meter/call-consume.ts';
import {
  answerOf,
  decodeBalance,
  digest,
  keyDigest,
  RECORD_KEPT_S,
  type SpendOutcome,
} from '../meter/idempotency.ts';
import {
  bucketOf,
  cacheAccount,
  cachedAccounts,
  cacheSpent,
  monthOf,
  type PreparedReceipt,
  prepareReceipt,
} from '../meter/prepare-receipt.ts';
import { creditNow, redisNow } from '../meter/redis-time.ts';
import { spendsDecided } from '../metrics.ts';
import { ledgerRows } from '../model.ts';
import { readEntry } from './stream.ts';

export interface Spend {
  accountId: string;
  tokenId: string;
  tokenHmac: string;
  idempotencyKey: string;
  outputSha256: string;
  kind?: string | undefined;
}

export interface Spent {
  /** The answer's bytes: the same for every repeat. */
  answer: string;
  /** Until when a repeat finds them. Unix seconds. */
  expiresS: number;
  replayed: boolean;
}

/** How long after it was sent a spend may still be carried out, by Redis' clock. */
const DEADLINE_MS = 800;
/** Asking, the month turned, the bucket turned: more in a row means that something is wrong. */
const ATTEMPTS = 8;

/**
 * Spends one credit, once per idempotency key: signs the receipt for the bucket that comes next, then one script call
 * decides. A repeat is answered from its stream entry or from its ledger row. Throws `unauthorized`, `insufficient_credits`,
 * `idempotency_key_reused`, and what nothing was written for: `signing_unavailable`, `rebuilding`, `backpressure`,
 * `store_unavailable`; `outcome_unknown` when no answer came, or too few replicas have it.
 */
export async function spendCredit(ctx: Context, spend: Spend): Promise<Spent> {
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
    const outcome = code === 'spent' ? outcomeOf(receipt, values) : await readOutcome(ctx, request, values);
    const expiresS = outcome.created_at + RECORD_KEPT_S;
    return { answer: answerOf(outcome), expiresS, replayed: code === 'replay' };
  }
  throw new DomainError('store_unavailable', 'The account changes too fast. Nothing was written; try again.');
}

type Request = Spend & { keys: AccountKeys; idk: string; fingerprint: string };
type Values = SpendReply['values'];

async function ask(ctx: Context, request: Request, receipt: PreparedReceipt, nowMs: number) {
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

function outcomeOf({ bucket, jws: receipt }: PreparedReceipt, [balance, at]: Values): SpendOutcome {
  const named = bucketOf(bucket);
  if (named === null) throw new Error('A credit was spent without a receipt');
  return { receipt, bucket: named, balance: decodeBalance(balance ?? ''), created_at: Number(at) };
}

/** The outcome that a key had: in its stream entry, or, once that is moved, in the ledger row of that `seq`. */
async function readOutcome(
  ctx: Context,
  { accountId, idk }: Request,
  [seq, ...entry]: Values,
): Promise<SpendOutcome> {
  // The last row of an entry is the spend; resets and expiries come before it.
  const row =
    entry.length > 0
      ? readEntry(['', entry.map((text) => text ?? '')]).rows.at(-1)
      : await ledgerRows(ctx).findOne({ account_id: accountId, seq: Number(seq) });
  if (row?.idk === idk && row.receipt !== undefined && row.balance !== undefined)
    return { receipt: row.receipt, bucket: row.bucket, balance: row.balance, created_at: row.created_at };
  ctx.log.error({ account_id: accountId, seq: Number(seq) }, 'a receipt was given that has no ledger row');
  throw new DomainError('store_unavailable', 'The answer to this key cannot be read. Nothing was written.');
}

/** The error of a spend that `consume.lua` refused: nothing was written. */
function refusalOf(
  code: Exclude<SpendReply['code'], 'spent' | 'replay' | 'month' | 'bucket'>,
  values: Values,
) {
  switch (code) {
    case 'token':
      return new DomainError(
        'unauthorized',
        'Send a credential that is known here, and neither revoked nor expired, as "Authorization: Bearer …".',
      );
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
