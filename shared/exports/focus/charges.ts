import { CALL_PARTS, type CallPart, tierOf } from '../../pricing/price.ts';
import { findListing, type Listing, type Rate } from '../../pricing/rates.ts';
import { splitByRates } from '../../pricing/split-call.ts';
import { callOf, SPLIT_FIELDS } from '../../sessions/split-signal.ts';
import type { Signal } from '../../signals/model.ts';
import { sellerId } from './providers.ts';

/** The fields of a signal that its charges are made of. */
export const CHARGED_FIELDS = [
  ...SPLIT_FIELDS,
  'type',
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
  const { type, cost_nusd, tokens_in, tokens_out } = signal;
  if (cost_nusd === null) return [];
  if (cost_nusd === 0 && (type === 'intervention' || tokens_in + tokens_out === 0)) return [];
  const call = callOf(signal);
  const listing = call.model ? findListing(call.provider, call.model, call.at.valueOf()) : null;
  const base = keyOf(signal, listing);
  const split = listing && splitByRates(call, { costNusd: cost_nusd, source: signal.cost_source });
  if (!split) return [wholeCharge(signal, base, cost_nusd)];
  const consumed = consumedOf(signal);
  const charges: Charge[] = [];
  for (const part of CALL_PARTS) {
    if (consumed[part] === 0 || (part === 'request' && split.request === 0)) continue;
    const price = priceOf(base.skuId, listing, part, tokens_in);
    if (!price) return [wholeCharge(signal, base, cost_nusd)];
    charges.push({ ...base, ...price, meter: part, consumed: consumed[part], costNusd: split[part] });
  }
  return charges;
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
    skuPriceId: `${base.skuId}/${meter}`,
    contextWindow: null,
    unitPrice: ONE_DOLLAR,
    consumed: signal.tokens_in + signal.tokens_out,
    costNusd,
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

/** The list's price of a class. Null where nine decimals do not hold it. */
function priceOf(skuId: string, { rates, since }: Listing, part: CallPart, tokensIn: number) {
  const rate: Rate | undefined = {
    input: rates.input,
    cache_read: rates.cacheRead,
    cache_write: rates.cacheWrite,
    output: rates.output,
    request: undefined,
  }[part];
  const tier = rate && tierOf(rate, tokensIn);
  const atto = tier ? tier.perToken : rates.attoPerRequest;
  const scale = tier ? ATTO_TO_UNIT_PRICE.tokens : ATTO_TO_UNIT_PRICE.requests;
  if (atto % scale !== 0n) return null;
  const contextWindow = tier && rate.tiers.length > 0 ? windowOf(tier) : null;
  const skuPriceId = `${skuId}/${part}/standard/${contextWindow ?? 'all'}@${since ?? 'listed'}`;
  return { contextWindow, skuPriceId, unitPrice: atto / scale };
}

function windowOf({ above, upTo }: { above: number; upTo: number }): string {
  return Number.isFinite(upTo) ? `${short(above)}-${short(upTo)}` : `${short(above)}+`;
}

/** `200k` for 200,000. */
function short(tokens: number): string {
  return tokens > 0 && tokens % 1_000 === 0 ? `${tokens / 1_000}k` : String(tokens);
}
