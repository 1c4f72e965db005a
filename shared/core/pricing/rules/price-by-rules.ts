import { divideHalfEven, safeNumber, scaleDecimal } from '../money.ts';
import {
  ATTO_PER_NANO,
  CALL_PARTS,
  type CallPart,
  type CallPrice,
  isWithoutUse,
  listPrice,
  type PricedCall,
  partsByRates,
  priceCall,
} from '../price.ts';
import { KCOUNT_PLACES, MTOK_PLACES, type Rate, type Rates } from '../read-rates.ts';
import type { MatchedCall, PriceBook } from './price-book.ts';
import type { OwnPrices, PriceRule } from './price-rule.ts';

/** A price, the rule that made it, and its parts in atto-USD before any percentage. */
export interface RuledPrice {
  readonly costNusd: number;
  readonly source: 'rule';
  readonly rule: { readonly id: string; readonly name: string };
  readonly parts: Record<CallPart, bigint>;
  /** The list price of the call; null where the list has none. */
  readonly listNusd: number | null;
}

const UNKNOWN: CallPrice = { costNusd: null, source: 'unknown' };

/** A call with all that its price depends on. */
export type RuledCall = PricedCall & Omit<MatchedCall, 'provider' | 'model'>;

/**
 * The price of a call by the rules of its organization, where its own price is `own`: the price of the best rule that holds at its
 * time. A discount holds only where the list has a price, and a reported cost stays unless the rule replaces it. Null where no rule
 * holds. Unknown where the best rule has no price for the counts or the tools of the call.
 */
export function priceByRules(
  call: RuledCall,
  own: CallPrice,
  book: PriceBook,
): RuledPrice | CallPrice | null {
  const isReported = own.source === 'reported';
  if (book.rules.length === 0 || (isWithoutUse(call) && !call.isUncounted && !isReported)) return null;
  const atMs = Number(call.at);
  for (const rule of book.matching(call, atMs)) {
    if (!holdsAt(rule, atMs) || (isReported && !rule.replaces_reported)) continue;
    const priced = partsByRule(call, rule);
    if (priced === 'no list price') continue;
    const price = priced && ruled(call, rule, { ...priced, own });
    return price ?? (isReported ? null : UNKNOWN);
  }
  return null;
}

/** The price that a call would have if it were recorded now, by the rules of its organization or without one. Pure. */
export function priceWithRules(call: RuledCall, book: PriceBook): RuledPrice | CallPrice {
  const own = priceCall(call);
  return priceByRules(call, own, book) ?? own;
}

function holdsAt({ from, to }: PriceRule, atMs: number): boolean {
  return atMs >= from.getTime() && (to === null || atMs < to.getTime());
}

interface Priced {
  parts: Record<CallPart, bigint>;
  /** Millionths of the parts that are charged. */
  millionths: bigint;
}

const WHOLE = 1_000_000n;
const NOTHING: Priced = {
  parts: { input: 0n, cache_read: 0n, cache_write: 0n, output: 0n, request: 0n },
  millionths: WHOLE,
};

function partsByRule(call: RuledCall, { effect }: PriceRule): Priced | 'no list price' | null {
  if ('free' in effect) return NOTHING;
  if ('discount_percent' in effect) {
    const parts = call.isUncounted ? null : listPrice(call);
    if (parts === null) return 'no list price';
    return { parts, millionths: WHOLE - BigInt(Math.round(effect.discount_percent * 10_000)) };
  }
  const parts = call.isUncounted ? null : partsByRates(call, ratesOf(effect));
  return parts && { parts, millionths: WHOLE };
}

function ruled(
  call: RuledCall,
  { _id, name }: PriceRule,
  { parts, millionths, own }: Priced & { own: CallPrice },
): RuledPrice | null {
  const atto = CALL_PARTS.reduce((sum, part) => sum + parts[part], 0n);
  const costNusd = safeNumber(divideHalfEven(atto * millionths, WHOLE * ATTO_PER_NANO));
  if (costNusd === null) return null;
  const { costNusd: listNusd } =
    own.source === 'reported' ? priceCall({ ...call, reportedUsd: undefined }) : own;
  return { costNusd, source: 'rule', rule: { id: _id, name }, parts, listNusd };
}

const ratesByPrices = new WeakMap<OwnPrices, Rates>();

function ratesOf(prices: OwnPrices): Rates {
  const known = ratesByPrices.get(prices);
  if (known) return known;
  const { usd_per_million: usd, per_request_usd = 0, tool_uses = {} } = prices;
  const input = rateOf(usd.input);
  const cacheWrite = usd.cache_write === undefined ? input : rateOf(usd.cache_write);
  const rates: Rates = {
    input,
    cacheRead: usd.cache_read === undefined ? input : rateOf(usd.cache_read),
    cacheWrite,
    cacheWrite1h: usd.cache_write_1h === undefined ? cacheWrite : rateOf(usd.cache_write_1h),
    output: rateOf(usd.output),
    // Without a price of their own, images and sound cost what the output costs, whether they are counted or not.
    outputImage: usd.output_image === undefined ? undefined : rateOf(usd.output_image),
    outputAudio: usd.output_audio === undefined ? undefined : rateOf(usd.output_audio),
    isOutputUnsplit: false,
    attoPerRequest: atto(per_request_usd, KCOUNT_PLACES + 3),
    attoPerUse: new Map(Object.entries(tool_uses).map(([tool, fee]) => [tool, atto(fee, KCOUNT_PLACES)])),
  };
  ratesByPrices.set(prices, rates);
  return rates;
}

function rateOf(usd: number): Rate {
  return { base: atto(usd, MTOK_PLACES), tiers: [] };
}

function atto(usd: number, places: number): bigint {
  const scaled = scaleDecimal(usd, places);
  if (scaled === null) throw new Error(`${usd} is no price.`);
  return scaled;
}
