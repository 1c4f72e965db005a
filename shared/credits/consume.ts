import { randomUUID } from 'node:crypto';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { type AccountKeys, accountKeys } from '../platform/redis/keys.ts';
import { loadScript } from '../platform/redis/script.ts';
import { callMeter } from './call-meter.ts';
import { digest } from './digest.ts';
import { type Hint, hintsOf, monthOf, predictBucket } from './hints.ts';
import { spendsDecided } from './metrics.ts';
import { BUCKETS, type Bucket } from './model.ts';
import { encodePlans } from './plans.ts';
import { creditNow, noteRedisTime, redisNow, scriptNow } from './redis-time.ts';
import { decodeAnchor } from './state.ts';

const script = loadScript(new URL('state.lua', import.meta.url), new URL('consume.lua', import.meta.url));

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

/** Repeats of a key find the answer this long. Design 8. */
export const ANSWER_KEPT_MS = 48 * 3_600_000;
/** How long after it was sent a spend may still be carried out, by Redis' clock. */
const DEADLINE_MS = 800;
const SIGNING_MS = 300;
/** Asking, the month turned, the bucket turned: more in a row means that something is wrong. */
const ATTEMPTS = 8;

/**
 * Spends one credit: signs the receipt for the bucket that comes next, then one script call decides. Throws
 * `unauthorized`, `insufficient_credits`, `idempotency_key_reused`, and what nothing was written for:
 * `signing_unavailable`, `rebuilding`, `backpressure`, `store_unavailable`; `outcome_unknown` when no answer came.
 */
export async function consume(ctx: Context, spend: Spend): Promise<Spent> {
  const request = {
    ...spend,
    keys: accountKeys(spend.accountId),
    idk: digest('consume', spend.idempotencyKey),
    fingerprint: digest('output', spend.outputSha256, spend.kind ?? ''),
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const nowMs = await creditNow(ctx, request.keys.shard);
    const receipt = await prepareReceipt(ctx, request, nowMs);
    const reply = await callConsume(ctx, request, receipt, nowMs);
    const spent = settle(ctx, request, reply);
    if (spent) return spent;
  }
  throw new DomainError('store_unavailable', 'The account changes too fast. Nothing was written; try again.');
}

type Request = Spend & { keys: AccountKeys; idk: string; fingerprint: string };

/** What is sent as the receipt's bucket when there is no receipt. */
const ASK = '?';
const REPLAY_ONLY = '';

interface Receipt {
  bucket: Bucket | typeof ASK | typeof REPLAY_ONLY;
  jws: string;
}

async function prepareReceipt(ctx: Context, request: Request, nowMs: number): Promise<Receipt> {
  const { accounts, devices } = hintsOf(ctx);
  const hint = accounts.get(request.accountId);
  const device = devices.get(request.tokenId);
  if (ctx.signer.publicKey() === null) return { bucket: REPLAY_ONLY, jws: '' };
  if (!hint || device === undefined) return { bucket: ASK, jws: '' };
  const bucket = predictBucket(hint, nowMs);
  const claims = {
    iss: ctx.config.baseUrl ?? 'urn:usage-governor',
    sub: hint.user,
    org: hint.org,
    dev: device,
    jti: randomUUID(),
    iat: Math.floor(nowMs / 1_000),
    bucket,
    delta: -1,
    out: request.outputSha256,
    idk: request.idk,
    ...(request.kind === undefined ? {} : { kind: request.kind }),
  };
  try {
    const signed = ctx.signer.sign(claims);
    return { bucket, jws: typeof signed === 'string' ? signed : await withinMs(SIGNING_MS, signed) };
  } catch (error) {
    ctx.log.error({ err: error }, 'a receipt could not be signed');
    return { bucket: REPLAY_ONLY, jws: '' };
  }
}

async function withinMs<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function callConsume(
  ctx: Context,
  request: Request,
  receipt: Receipt,
  nowMs: number,
): Promise<[code: string, ...string[]]> {
  const { accountId, keys, idk } = request;
  const hint = hintsOf(ctx).accounts.get(accountId);
  const month = hint ? monthOf(hint, nowMs) : { startMs: '', endMs: '' };
  const deadlineMs = (await redisNow(ctx, keys.shard)) + DEADLINE_MS;
  const [code, redisMs, ...rest] = (await callMeter(
    ctx,
    script,
    [keys.gate, keys.account, keys.answer(idk), keys.outbox],
    [
      scriptNow(ctx),
      deadlineMs,
      request.tokenId,
      request.tokenHmac,
      request.fingerprint,
      idk,
      receipt.bucket,
      receipt.jws,
      month.startMs,
      month.endMs,
      plansArgument(ctx),
      ANSWER_KEPT_MS,
      ctx.config.outboxEntriesPerShard,
    ],
  )) as [string, number, ...string[]];
  noteRedisTime(ctx, keys.shard, redisMs);
  return [code, ...rest];
}

/** The answer; nothing when the script told what to sign instead; else throws what stands in the way. */
function settle(ctx: Context, request: Request, reply: [code: string, ...string[]]): Spent | undefined {
  const [code, ...values] = reply;
  if (code !== 'month' && code !== 'bucket') spendsDecided(ctx).inc({ outcome: code });
  switch (code) {
    case 'spent':
      return noteSpent(ctx, request, values);
    case 'replay':
      return { answer: values[0] ?? '', expiresS: Number(values[1]), replayed: true };
    case 'month':
    case 'bucket':
      noteAccount(ctx, request, code, values);
      return undefined;
    default:
      throw refusalOf(ctx, code, values);
  }
}

function noteSpent(ctx: Context, request: Request, values: readonly string[]): Spent {
  const [answer = '', expires, bucket, windowEnd, monthStart, monthEnd] = values;
  const hint = hintsOf(ctx).accounts.get(request.accountId);
  if (hint) {
    hint.bucket = bucketOf(bucket);
    hint.windowEndMs = timeOf(windowEnd);
    hint.month = periodOf(monthStart, monthEnd) ?? hint.month;
  }
  return { answer, expiresS: Number(expires), replayed: false };
}

function noteAccount(ctx: Context, request: Request, code: string, values: readonly string[]): void {
  const [bucket, windowEnd, monthStart, monthEnd, ...identity] =
    code === 'bucket' ? values : ['', '', '', '', ...values];
  const [anchor = '', device = '', org = '', user = ''] = identity;
  const { accounts, devices } = hintsOf(ctx);
  devices.set(request.tokenId, device);
  accounts.set(request.accountId, {
    org,
    user,
    anchor: decodeAnchor(anchor),
    month: periodOf(monthStart, monthEnd),
    windowEndMs: timeOf(windowEnd),
    bucket: bucketOf(bucket),
  });
}

function refusalOf(ctx: Context, code: string, values: readonly string[]): Error {
  switch (code) {
    case 'token':
      return new DomainError('unauthorized', 'Send a valid credential as "Authorization: Bearer …".');
    case 'reused':
      return new DomainError('idempotency_key_reused', 'This Idempotency-Key was used for another output.');
    case 'empty':
      return insufficient(timeOf(values[0]), timeOf(values[1]));
    case 'gate':
      return new DomainError('rebuilding', 'Credits are being checked against the ledger. Try again.');
    case 'unsigned':
      return new DomainError('signing_unavailable', 'No receipt can be signed now. Nothing was spent.');
    case 'full':
      return new DomainError('backpressure', 'The ledger lags too far behind. Nothing was spent.');
    case 'late':
      return new DomainError(
        'store_unavailable',
        'Redis was reached too late. Nothing was spent; try again.',
      );
    default:
      ctx.log.error({ code }, 'the spend script answered something unknown');
      return new Error('The spend script answered something unknown');
  }
}

function insufficient(windowEndMs: number | null, monthEndMs: number | null): DomainError {
  const window = windowEndMs === null ? null : Math.ceil(windowEndMs / 1_000);
  const monthly = monthEndMs === null ? null : Math.ceil(monthEndMs / 1_000);
  const refills = [window, monthly].filter((time) => time !== null);
  return new DomainError('insufficient_credits', 'Needs 1 credit, has 0.', {
    balances: {
      window: { credits: 0, resets_at: window },
      monthly: { credits: 0, resets_at: monthly },
      paid: { credits: 0, resets_at: null },
      granted: { credits: 0, resets_at: null },
    },
    next_refill: refills.length > 0 ? Math.min(...refills) : null,
  });
}

function bucketOf(text: string | undefined): Bucket | null {
  return BUCKETS.find((bucket) => bucket === text) ?? null;
}

function timeOf(text: string | undefined): number | null {
  return text ? Number(text) : null;
}

function periodOf(start: string | undefined, end: string | undefined): Hint['month'] {
  return start && end ? { startMs: Number(start), endMs: Number(end) } : null;
}

const plansArguments = new WeakMap<object, string>();

function plansArgument(ctx: Context): string {
  const known = plansArguments.get(ctx.plans);
  if (known !== undefined) return known;
  const text = encodePlans(ctx.plans);
  plansArguments.set(ctx.plans, text);
  return text;
}
