import { SPLIT_FIELDS } from '../../../core/calls/sessions/split-signal.ts';
import type { Signal } from '../../../core/calls/signals/model.ts';
import { CALL_PARTS, type CallPart, partsByRates, tierOf } from '../../../core/pricing/price.ts';
import { findListing, type Listing } from '../../../core/pricing/rates.ts';
import type { Rate } from '../../../core/pricing/read-rates.ts';
import { type SplitCost, splitByRates, splitInProportion } from '../../../core/pricing/split-call.ts';
import { sellerId } from './providers.ts';

export const CHARGED_FIELDS = [
  ...SPLIT_FIELDS,
  'type',
  'price_rule',
  'list_nusd',
  'user_id',
  'project_id',
  'adapter',
] as const satisfies readonly (keyof Signal)[];
export type ChargedSignal = Pick<Signal, (typeof CHARGED_FIELDS)[number]>;

/** A class of tokens or a fee of the list; or the whole cost of a call, where the list does not give it. */
export const METERS = [...CALL_PARTS, 'recorded', 'reported'] as const;
export type Meter = (typeof METERS)[number];

/** The columns that tell rows of one charge period apart, and their price. */
export interface ChargeKey {
  user_id: string;
  project_id: string;
  adapter: string;
  seller: string;
  model: string;
  source: Signal['cost_source'];
  meter: Meter;
  skuId: string;
  skuPriceId: string;
  /** `0-200k`, `200k+`; null where the price is one for all. */
  contextWindow: string | null;
  /** Nano-USD per million tokens or per thousand requests; of a recorded or reported cost one dollar. */
  unitPrice: bigint;
}

/** The amounts that one call adds to a row. */
export interface Charge extends ChargeKey {
  /** Tokens, or of a fee requests. */
  consumed: number;
  costNusd: number;
  /** The list price of a whole cost that a rule made; absent: the cost, or that of a class. */
  listNusd?: number;
}

/** Atto-USD per token and per request → nano-USD per unit of the price lists. */
const ATTO_TO_UNIT_PRICE = { tokens: 1_000n, requests: 1_000_000n };
const ONE_DOLLAR = 1_000_000_000n;

/**
 * The charges of a call, whose costs sum to its recorded cost: one for each class of tokens that it used, or one of the whole
 * cost, where the tool reported it, the list no longer gives it or nine decimals do not hold a price. None without a price, and
 * none for an intervention or a call without tokens that cost nothing. Pure.
 */
export function chargesOf(signal: ChargedSignal): Charge[] {
  const { type, ts, provider, model, cost_nusd, tokens_in, tokens_out } = signal;
  if (cost_nusd === null) return [];
  if (cost_nusd === 0 && (type === 'intervention' || tokens_in + tokens_out === 0)) return [];
  const listing = model ? findListing(provider ?? undefined, model, ts.getTime(), signal) : null;
  const base = keyOf(signal, listing);
  const split = listing && !hasOtherClasses(signal) && splitOf(signal, listing, cost_nusd);
  if (!split) return [wholeCharge(signal, base, cost_nusd)];
  const consumed = consumedOf(signal);
  const prices = pricesOf(listing);
  const charges: Charge[] = [];
  for (const part of CALL_PARTS) {
    if (consumed[part] === 0 || (part === 'request' && listing.rates.attoPerRequest === 0n)) continue;
    const price = prices[part].find(({ upTo }) => tokens_in <= upTo)?.price;
    if (!price) return [wholeCharge(signal, base, cost_nusd)];
    const skuPriceId = `${price.skuPriceId}${ruleOf(signal)}`;
    charges.push({ ...base, ...price, skuPriceId, consumed: consumed[part], costNusd: split[part] });
  }
  return charges;
}

/** Returns whether a call has tokens or fees of a class that has no row of its own. */
function hasOtherClasses(signal: ChargedSignal): boolean {
  const { cache_write_1h_tokens, output_image_tokens, output_audio_tokens, tool_uses } = signal;
  return Boolean(cache_write_1h_tokens || output_image_tokens || output_audio_tokens || tool_uses);
}

/** The classes of a call at list prices, with the cost that they have. A rule changes the cost of all of them alike. */
function splitOf(signal: ChargedSignal, listing: Listing, costNusd: number): SplitCost | null {
  const { cost_source: source } = signal;
  if (source !== 'rule') return splitByRates(signal, listing.rates, { costNusd, source });
  const parts = partsByRates(signal, listing.rates);
  return parts && splitInProportion(parts, costNusd);
}

/** The end of a price's id where a rule made the cost, by which rows of different rules are told apart. */
function ruleOf({ price_rule }: ChargedSignal): string {
  return price_rule ? `/rule/${price_rule.id}` : '';
}

function keyOf(signal: ChargedSignal, listing: Listing | null) {
  const { user_id, project_id, adapter, cost_source: source } = signal;
  const model = signal.model ?? 'unknown';
  const seller = sellerId(signal, listing?.provider ?? null);
  const skuId = `${listing?.provider ?? seller}/${listing?.model ?? model}`;
  return { user_id, project_id, adapter, seller, model, source, skuId };
}

function wholeCharge(signal: ChargedSignal, base: ReturnType<typeof keyOf>, costNusd: number): Charge {
  const meter = signal.cost_source === 'reported' ? 'reported' : 'recorded';
  return {
    ...base,
    meter,
    skuPriceId: `${base.skuId}/${meter}${ruleOf(signal)}`,
    contextWindow: null,
    unitPrice: ONE_DOLLAR,
    consumed: signal.tokens_in + signal.tokens_out,
    costNusd,
    ...(signal.list_nusd === undefined ? {} : { listNusd: signal.list_nusd }),
  };
}

function consumedOf(signal: ChargedSignal): Record<CallPart, number> {
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = signal;
  return {
    input: tokens_in - cache_read_tokens - cache_write_tokens,
    cache_read: cache_read_tokens,
    cache_write: cache_write_tokens,
    output: tokens_out,
    request: 1,
  };
}

type Price = Pick<ChargeKey, 'meter' | 'skuPriceId' | 'contextWindow' | 'unitPrice'>;
/** The prices of a class by the most input tokens that they hold for, ascending; null where nine decimals do not hold one. */
type ClassPrices = readonly { upTo: number; price: Price | null }[];

/** Hundreds of thousands of calls have the same few prices, so each is written once. */
const pricesByListing = new WeakMap<Listing, Record<CallPart, ClassPrices>>();

function pricesOf(listing: Listing): Record<CallPart, ClassPrices> {
  const known = pricesByListing.get(listing);
  if (known) return known;
  const { input, cacheRead, cacheWrite, output, attoPerRequest } = listing.rates;
  const perRequest = priceOf(listing, 'request', attoPerRequest, ATTO_TO_UNIT_PRICE.requests, null);
  const prices = {
    input: tokenPrices(listing, 'input', input),
    cache_read: tokenPrices(listing, 'cache_read', cacheRead),
    cache_write: tokenPrices(listing, 'cache_write', cacheWrite),
    output: tokenPrices(listing, 'output', output),
    request: [{ upTo: Number.POSITIVE_INFINITY, price: perRequest }],
  };
  pricesByListing.set(listing, prices);
  return prices;
}

function tokenPrices(listing: Listing, part: CallPart, rate: Rate | undefined): ClassPrices {
  if (!rate) return [];
  const tiers = [0, ...rate.tiers.map(({ above }) => above)].map((above) => tierOf(rate, above + 1));
  return tiers.map((tier) => {
    const contextWindow = tiers.length > 1 ? windowOf(tier) : null;
    const price = priceOf(listing, part, tier.perToken, ATTO_TO_UNIT_PRICE.tokens, contextWindow);
    return { upTo: tier.upTo, price };
  });
}

function priceOf(
  { provider, model, since, service }: Listing,
  meter: CallPart,
  atto: bigint,
  scale: bigint,
  contextWindow: string | null,
): Price | null {
  if (atto % scale !== 0n) return null;
  const skuPriceId = `${provider}/${model}/${meter}/${service}/${contextWindow ?? 'all'}@${since ?? 'listed'}`;
  return { meter, skuPriceId, contextWindow, unitPrice: atto / scale };
}

function windowOf({ above, upTo }: { above: number; upTo: number }): string {
  return Number.isFinite(upTo) ? `${short(above)}-${short(upTo)}` : `${short(above)}+`;
}

/** `200k` for 200,000. */
function short(tokens: number): string {
  return tokens > 0 && tokens % 1_000 === 0 ? `${tokens / 1_000}k` : String(tokens);
}
