import { divideHalfEven, nusdFromUsd, safeNumber } from './money.ts';
import { findRates, type Rate, type Rates } from './rates.ts';

/** One call as its adapter reported it. `tokens_in` includes the cached ones. */
export interface PricedCall {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** When the call happened: the prices of that time hold. A number is epoch milliseconds. */
  readonly at: Date | number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reportedUsd?: number | undefined;
  /** True when it used tokens that nobody counted. */
  readonly isUncounted?: boolean | undefined;
}

export type CallTokens = Pick<
  PricedCall,
  'tokens_in' | 'tokens_out' | 'cache_read_tokens' | 'cache_write_tokens'
>;

type CostSource = 'reported' | 'computed' | 'unknown';

/** `costNusd` is a safe integer ≥ 0, or null exactly when the source is `unknown`. */
export interface CallPrice {
  readonly costNusd: number | null;
  readonly source: CostSource;
}

const UNKNOWN: CallPrice = { costNusd: null, source: 'unknown' };
const FREE: CallPrice = { costNusd: 0, source: 'computed' };
export const ATTO_PER_NANO = 1_000_000_000n;
const MAX_EPOCH_MS = 8.64e15;

/**
 * The cost of one call, in nano-USD rounded half-even once. A reported cost wins; otherwise the list price of the
 * model at the call's time, summed in integers. A call without tokens costs nothing, whatever its model.
 * Unknown, never a guess: tokens that nobody counted, no model, no list price, counts that contradict each other (more cached than read).
 */
export function priceCall(call: PricedCall): CallPrice {
  if (call.reportedUsd !== undefined) return known(nusdFromUsd(call.reportedUsd), 'reported');
  if (call.isUncounted || !hasPlausibleTokens(call)) return UNKNOWN;
  if (call.tokens_in === 0 && call.tokens_out === 0) return FREE;
  const parts = listPrice(call);
  if (parts === null) return UNKNOWN;
  const costAtto = CALL_PARTS.reduce((sum, part) => sum + parts[part], 0n);
  return known(safeNumber(divideHalfEven(costAtto, ATTO_PER_NANO)), 'computed');
}

/** The parts that a call's cost has; `input` is what came from no cache, `request` the fee per request. */
export const CALL_PARTS = ['input', 'cache_read', 'cache_write', 'output', 'request'] as const;
export type CallPart = (typeof CALL_PARTS)[number];

/**
 * The list price of each part of a call at the call's time, in atto-USD. Null without a list price: no model, a model that
 * no list has, tokens that it names no price for, counts that contradict each other.
 */
export function listPrice(call: PricedCall): Record<CallPart, bigint> | null {
  const atMs = Number(call.at);
  if (!call.model || !(Math.abs(atMs) <= MAX_EPOCH_MS)) return null;
  const rates = findRates(call.provider, call.model, atMs);
  return rates && partsByRates(call, rates);
}

function known(costNusd: number | null, source: CostSource): CallPrice {
  return costNusd === null ? UNKNOWN : { costNusd, source };
}

function hasPlausibleTokens(call: CallTokens): boolean {
  const counts = [call.tokens_in, call.tokens_out, call.cache_read_tokens, call.cache_write_tokens];
  return (
    counts.every((count) => Number.isSafeInteger(count) && count >= 0) &&
    call.cache_read_tokens + call.cache_write_tokens <= call.tokens_in
  );
}

/** The price of each part of a call by these rates, in atto-USD. Null as `listPrice`. */
export function partsByRates(call: CallTokens, rates: Rates): Record<CallPart, bigint> | null {
  if (!hasPlausibleTokens(call)) return null;
  const uncached = call.tokens_in - call.cache_read_tokens - call.cache_write_tokens;
  const input = attoFor(uncached, rates.input, call.tokens_in);
  const cache_read = attoFor(call.cache_read_tokens, rates.cacheRead, call.tokens_in);
  const cache_write = attoFor(call.cache_write_tokens, rates.cacheWrite, call.tokens_in);
  const output = attoFor(call.tokens_out, rates.output, call.tokens_in);
  if (input === null || cache_read === null || cache_write === null || output === null) return null;
  return { input, cache_read, cache_write, output, request: rates.attoPerRequest };
}

/** Null when there are tokens but the list names no price for them. */
function attoFor(tokens: number, rate: Rate | undefined, tokensIn: number): bigint | null {
  if (tokens === 0) return 0n;
  if (!rate) return null;
  return BigInt(tokens) * tierOf(rate, tokensIn).perToken;
}

/** The rate (atto-USD) of a call with this many input tokens, and the input tokens it holds for: more than `above`, up to `upTo`. */
export function tierOf(rate: Rate, tokensIn: number): { perToken: bigint; above: number; upTo: number } {
  let tier = { perToken: rate.base, above: 0, upTo: Number.POSITIVE_INFINITY };
  for (const next of rate.tiers) {
    if (tokensIn <= next.above) return { ...tier, upTo: next.above };
    tier = { ...tier, perToken: next.rate, above: next.above };
  }
  return tier;
}
