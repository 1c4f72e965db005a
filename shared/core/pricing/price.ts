import { divideHalfEven, nusdFromUsd, safeNumber } from './money.ts';
import { findRates } from './rates.ts';
import type { Rate, Rates } from './read-rates.ts';
import type { Service } from './surcharges.ts';

/** The counts of a call. `tokens_in` includes the cached ones. */
export interface CallTokens {
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** The part of `cache_write_tokens` that is cached for an hour. */
  readonly cache_write_1h_tokens?: number | undefined;
  /** Parts of `tokens_out`. */
  readonly output_image_tokens?: number | undefined;
  readonly output_audio_tokens?: number | undefined;
  /** Uses of tools that the vendor ran, by their names. */
  readonly tool_uses?: Readonly<Record<string, number>> | undefined;
}

export interface PricedCall extends CallTokens, Service {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** When the call happened: the prices of that time hold. A number is epoch milliseconds. */
  readonly at: Date | number;
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
export const ATTO_PER_NANO = 1_000_000_000n;
const MAX_EPOCH_MS = 8.64e15;

/**
 * The cost of one call, in nano-USD rounded half-even once. A reported cost wins; otherwise the list price of the
 * model at the call's time, summed in integers. A call without tokens and tools costs nothing, whatever its model.
 * Unknown, never a guess: tokens that nobody counted, no model, no list price, a tier, a region or a tool without one, counts that contradict each other (more cached than read).
 */
export function priceCall(call: PricedCall): CallPrice {
  if (call.reportedUsd !== undefined) return known(nusdFromUsd(call.reportedUsd), 'reported');
  if (call.isUncounted || !hasPlausibleTokens(call)) return UNKNOWN;
  if (isWithoutUse(call)) return FREE;
  const parts = listPrice(call);
  if (parts === null) return UNKNOWN;
  const costAtto = CALL_PARTS.reduce((sum, part) => sum + parts[part], 0n);
  return known(safeNumber(divideHalfEven(costAtto, ATTO_PER_NANO)), 'computed');
}

/** The parts that a call's cost has; `input` is what came from no cache, `request` the fees per request and per use of a tool. */
export const CALL_PARTS = ['input', 'cache_read', 'cache_write', 'output', 'request'] as const;
export type CallPart = (typeof CALL_PARTS)[number];

/**
 * The list price of each part of a call at the call's time, in atto-USD. Null without a list price: no model, a model that
 * no list has, tokens that it names no price for, counts that contradict each other.
 */
export function listPrice(call: PricedCall): Record<CallPart, bigint> | null {
  const atMs = Number(call.at);
  if (!call.model || !(Math.abs(atMs) <= MAX_EPOCH_MS)) return null;
  const rates = findRates(call.provider, call.model, atMs, call);
  return rates && partsByRates(call, rates);
}

function known(costNusd: number | null, source: CostSource): CallPrice {
  return costNusd === null ? UNKNOWN : { costNusd, source };
}

function hasPlausibleTokens(call: CallTokens): boolean {
  const { cache_write_1h_tokens: longCache = 0, output_image_tokens: image = 0 } = call;
  const { output_audio_tokens: audio = 0, tool_uses = {} } = call;
  const counts = [call.tokens_in, call.tokens_out, call.cache_read_tokens, call.cache_write_tokens];
  return (
    [...counts, longCache, image, audio, ...Object.values(tool_uses)].every(
      (count) => Number.isSafeInteger(count) && count >= 0,
    ) &&
    call.cache_read_tokens + call.cache_write_tokens <= call.tokens_in &&
    longCache <= call.cache_write_tokens &&
    image + audio <= call.tokens_out
  );
}

/** True for a call that used neither tokens nor tools: it costs nothing. */
export function isWithoutUse(call: CallTokens): boolean {
  return call.tokens_in === 0 && call.tokens_out === 0 && usesOf(call).length === 0;
}

function usesOf({ tool_uses = {} }: CallTokens): [string, number][] {
  return Object.entries(tool_uses).filter(([, uses]) => uses > 0);
}

/** The price of each part of a call by these rates, in atto-USD. Null as `listPrice`. */
export function partsByRates(call: CallTokens, rates: Rates): Record<CallPart, bigint> | null {
  if (!hasPlausibleTokens(call)) return null;
  const { cache_write_1h_tokens: longCache = 0 } = call;
  const uncached = call.tokens_in - call.cache_read_tokens - call.cache_write_tokens;
  const input = attoFor(uncached, rates.input, call.tokens_in);
  const cache_read = attoFor(call.cache_read_tokens, rates.cacheRead, call.tokens_in);
  const short = attoFor(call.cache_write_tokens - longCache, rates.cacheWrite, call.tokens_in);
  const long = attoFor(longCache, rates.cacheWrite1h, call.tokens_in);
  const output = outputOf(call, rates);
  const fees = feesOf(call, rates);
  if (input === null || cache_read === null || short === null || long === null) return null;
  if (output === null || fees === null) return null;
  return { input, cache_read, cache_write: short + long, output, request: rates.attoPerRequest + fees };
}

/** Null when a part of the output has a price of its own and the call does not count it. */
function outputOf(call: CallTokens, rates: Rates): bigint | null {
  const { tokens_in, tokens_out, output_image_tokens: image, output_audio_tokens: audio } = call;
  const text = tokens_out - (image ?? 0) - (audio ?? 0);
  const isSplit =
    !rates.isOutputUnsplit &&
    (image !== undefined || !rates.outputImage) &&
    (audio !== undefined || !rates.outputAudio);
  if (text > 0 && !isSplit) return null;
  const parts = [
    attoFor(text, rates.output, tokens_in),
    attoFor(image ?? 0, rates.outputImage ?? rates.output, tokens_in),
    attoFor(audio ?? 0, rates.outputAudio ?? rates.output, tokens_in),
  ];
  return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0n);
}

/** Null when a tool has no fee. */
function feesOf(call: CallTokens, { attoPerUse }: Rates): bigint | null {
  let sum = 0n;
  for (const [tool, uses] of usesOf(call)) {
    const fee = attoPerUse.get(tool);
    if (fee === undefined) return null;
    sum += BigInt(uses) * fee;
  }
  return sum;
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
