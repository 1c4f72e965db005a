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

type CostSource = 'reported' | 'computed' | 'unknown';

/** `costNusd` is a safe integer ≥ 0, or null exactly when the source is `unknown`. */
export interface CallPrice {
  readonly costNusd: number | null;
  readonly source: CostSource;
}

const UNKNOWN: CallPrice = { costNusd: null, source: 'unknown' };
const FREE: CallPrice = { costNusd: 0, source: 'computed' };
const ATTO_PER_NANO = 1_000_000_000n;
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
  const atMs = Number(call.at);
  if (!call.model || !(Math.abs(atMs) <= MAX_EPOCH_MS)) return UNKNOWN;
  const rates = findRates(call.provider, call.model, atMs);
  const costAtto = rates && sumAtto(call, rates);
  return costAtto === null ? UNKNOWN : known(safeNumber(divideHalfEven(costAtto, ATTO_PER_NANO)), 'computed');
}

function known(costNusd: number | null, source: CostSource): CallPrice {
  return costNusd === null ? UNKNOWN : { costNusd, source };
}

function hasPlausibleTokens(call: PricedCall): boolean {
  const counts = [call.tokens_in, call.tokens_out, call.cache_read_tokens, call.cache_write_tokens];
  return (
    counts.every((count) => Number.isSafeInteger(count) && count >= 0) &&
    call.cache_read_tokens + call.cache_write_tokens <= call.tokens_in
  );
}

function sumAtto(call: PricedCall, rates: Rates): bigint | null {
  const uncached = call.tokens_in - call.cache_read_tokens - call.cache_write_tokens;
  const parts = [
    attoFor(uncached, rates.input, call.tokens_in),
    attoFor(call.cache_read_tokens, rates.cacheRead, call.tokens_in),
    attoFor(call.cache_write_tokens, rates.cacheWrite, call.tokens_in),
    attoFor(call.tokens_out, rates.output, call.tokens_in),
  ];
  let sum = rates.attoPerRequest;
  for (const part of parts) {
    if (part === null) return null;
    sum += part;
  }
  return sum;
}

/** Null when there are tokens but the list names no price for them. */
function attoFor(tokens: number, rate: Rate | undefined, tokensIn: number): bigint | null {
  if (tokens === 0) return 0n;
  if (!rate) return null;
  let perToken = rate.base;
  for (const tier of rate.tiers) if (tokensIn > tier.above) perToken = tier.rate;
  return BigInt(tokens) * perToken;
}
