import { calcPrice, type ModelInfo, type ModelPrice, type TieredPrices } from '@pydantic/genai-prices';

import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import { mayBeListed } from './listed.ts';
import { scaleDecimal } from './money.ts';
import {
  isFreeVariant,
  listPriceQueries,
  namedProvider,
  oneProviderName,
  type PriceQuery,
  UNKNOWN_PROVIDER,
} from './providers.ts';

/** Atto-USD (1e-18 USD) per token: small enough that every list price is an integer. */
export interface Rate {
  readonly base: bigint;
  /** Ascending; the last one whose `above` is exceeded by the call's input tokens holds for all its tokens. */
  readonly tiers: readonly { readonly above: number; readonly rate: bigint }[];
}

/** The price list of one model at one time. A missing rate means that the list names none. */
export interface Rates {
  readonly input: Rate | undefined;
  readonly cacheRead: Rate | undefined;
  readonly cacheWrite: Rate | undefined;
  readonly output: Rate | undefined;
  readonly attoPerRequest: bigint;
}

/** The prices of a model at one time, and the entry of the list that they come from. */
export interface Listing {
  readonly rates: Rates;
  /** The list's own ids. */
  readonly provider: string;
  readonly model: string;
  /** When this price began: a date, or the time of day of a price that changes every day; null where the list has one price. */
  readonly since: string | null;
}

interface ListedModel {
  readonly query: PriceQuery;
  /** The ids of the list that has the price, and of its entry. */
  readonly provider: string;
  readonly model: string;
  /** Instants (epoch ms) at which the list price changed, ascending. */
  readonly changesMs: readonly number[];
  /** Times of day (ms after midnight UTC) at which it changes every day, ascending. */
  readonly dailyChangesMs: readonly number[];
  /** Between two changes the price is one: asked once, kept by the number of the period. */
  readonly byPeriod: Map<number, Listing | null>;
}

const MAX_ID_LENGTH = 256;
const MAX_LISTED = 4_096;

/** USD per million tokens → atto-USD per token, and USD per thousand requests → atto-USD per request. */
const MTOK_PLACES = 12;
const KCOUNT_PLACES = 15;
const NOTHING: Rate = { base: 0n, tiers: [] };
const FREE: Rates = {
  input: NOTHING,
  cacheRead: NOTHING,
  cacheWrite: NOTHING,
  output: NOTHING,
  attoPerRequest: 0n,
};

const listed = new Map<string, ListedModel | null>();
const ratesByPrice = new WeakMap<ModelPrice, Rates | null>();

/** The prices of a model at `atMs` (epoch ms), or null when no list has it. Never throws, never does I/O. */
export function findRates(provider: string | undefined, model: string, atMs: number): Rates | null {
  if (isTooLong(provider, model)) return null;
  if (isFreeVariant(provider, model)) return FREE;
  const entry = findListed(provider, model, atMs);
  return (entry && listingAt(entry, atMs))?.rates ?? null;
}

/** The same prices with the entry of the list that names them: one object as long as the price is one. A free variant has none of its own: its name is the model's. */
export function findListing(provider: string | undefined, model: string, atMs: number): Listing | null {
  if (isTooLong(provider, model)) return null;
  if (isFreeVariant(provider, model))
    return { rates: FREE, provider: 'openrouter', model: model.trim().toLowerCase(), since: null };
  const entry = findListed(provider, model, atMs);
  return entry && listingAt(entry, atMs);
}

function isTooLong(provider: string | undefined, model: string): boolean {
  return model.length > MAX_ID_LENGTH || (provider?.length ?? 0) > MAX_ID_LENGTH;
}

function listingAt(entry: ListedModel, atMs: number): Listing | null {
  const period = periodOf(entry, atMs);
  let listing = entry.byPeriod.get(period);
  if (listing === undefined) {
    const price = askPriceList(entry.query, atMs);
    const rates = price && ratesOf(price.model_price);
    const { provider, model } = entry;
    listing = rates && { rates, provider, model, since: sinceOf(entry, atMs) };
    entry.byPeriod.set(period, listing);
  }
  return listing;
}

/** The price list that has the price of a model at `atMs` (epoch ms), by its id; null when none has it. */
export function findListOf(provider: string | undefined, model: string, atMs: number): string | null {
  if (isTooLong(provider, model)) return null;
  return findListed(provider, model, atMs)?.provider ?? null;
}

function sinceOf({ changesMs, dailyChangesMs }: ListedModel, atMs: number): string | null {
  const date = changesMs.findLast((change) => change <= atMs);
  const begun = dailyChangesMs.findLast((change) => change <= timeOfDayMs(atMs)) ?? dailyChangesMs.at(-1);
  const parts = [
    ...(date === undefined ? [] : [isoTime(date).slice(0, 10)]),
    ...(begun === undefined ? [] : [isoTime(begun).slice(11, 16)]),
  ];
  return parts.length === 0 ? null : parts.join('T');
}

function findListed(provider: string | undefined, model: string, atMs: number): ListedModel | null {
  const key = `${provider ?? ''}\n${model}`; // No listed name holds a newline, so none can pose as another.
  const known = listed.get(key);
  if (known !== undefined) return known;
  const found = lookUp(provider, model, atMs);
  if (listed.size >= MAX_LISTED) {
    const oldest = listed.keys().next();
    if (!oldest.done) listed.delete(oldest.value);
  }
  listed.set(key, found);
  return found;
}

function lookUp(provider: string | undefined, model: string, atMs: number): ListedModel | null {
  for (const query of listPriceQueries(provider, model)) {
    const price = mayBeListed(query) ? askPriceList(query, atMs) : null;
    if (!price) continue;
    const { provider: seller, model: sold } = price;
    const of = { query, provider: seller.id, model: sold.id };
    return { ...of, ...changesOf(sold), byPeriod: new Map() };
  }
  return null;
}

/** The list's answer for no usage at all: the model and its prices at that time, without a float in the sum. */
function askPriceList(query: PriceQuery, atMs: number): ReturnType<typeof calcPrice> {
  try {
    const options = query.provider === undefined ? {} : { providerId: query.provider };
    return calcPrice({}, query.model, { ...options, timestamp: dateAt(atMs) });
  } catch {
    return null; // A list entry that the library cannot read is a price that we do not know.
  }
}

function changesOf(model: ModelInfo): Pick<ListedModel, 'changesMs' | 'dailyChangesMs'> {
  const instants = new Set<number>();
  const timesOfDay = new Set<number>();
  for (const { constraint } of Array.isArray(model.prices) ? model.prices : []) {
    if (constraint?.type === 'start_date') instants.add(Date.parse(constraint.start_date));
    if (constraint?.type === 'time_of_date') {
      for (const time of [constraint.start_time, constraint.end_time]) {
        timesOfDay.add(timeOfDayMs(Date.parse(`1970-01-01T${time}`)));
      }
    }
  }
  const ascending = (a: number, b: number) => a - b;
  return { changesMs: [...instants].sort(ascending), dailyChangesMs: [...timesOfDay].sort(ascending) };
}

function periodOf(entry: ListedModel, atMs: number): number {
  const period = countReached(entry.changesMs, atMs);
  if (entry.dailyChangesMs.length === 0) return period;
  return period * (entry.dailyChangesMs.length + 1) + countReached(entry.dailyChangesMs, timeOfDayMs(atMs));
}

function countReached(changes: readonly number[], at: number): number {
  let count = 0;
  for (const change of changes) if (change <= at) count += 1;
  return count;
}

function timeOfDayMs(epochMs: number): number {
  return ((epochMs % DAY_MS) + DAY_MS) % DAY_MS;
}

function ratesOf(price: ModelPrice): Rates | null {
  const known = ratesByPrice.get(price);
  if (known !== undefined) return known;
  const rates = readRates(price);
  ratesByPrice.set(price, rates);
  return rates;
}

/** Tokens of a class without a price of its own are priced as the class that holds them; an empty list is free. */
function readRates(price: ModelPrice): Rates | null {
  if (Object.keys(price).length === 0) return FREE;
  const perRequest = price.requests_kcount ?? 0;
  const attoPerRequest = typeof perRequest === 'number' ? scaleDecimal(perRequest, KCOUNT_PLACES) : null;
  if (attoPerRequest === null) return null;
  const input = readRate(price.input_mtok);
  return {
    input,
    cacheRead: readRate(price.cache_read_mtok) ?? input,
    cacheWrite: readRate(price.cache_write_mtok) ?? input,
    output: readRate(price.output_mtok),
    attoPerRequest,
  };
}

function readRate(price: number | TieredPrices | undefined): Rate | undefined {
  if (price === undefined) return undefined;
  const { base, tiers } = typeof price === 'number' ? { base: price, tiers: [] } : price;
  const baseRate = scaleDecimal(base, MTOK_PLACES);
  const steps = tiers.map((tier) => ({ above: tier.start, rate: scaleDecimal(tier.price, MTOK_PLACES) }));
  if (baseRate === null || !steps.every(hasRate)) return undefined;
  return { base: baseRate, tiers: steps.sort((a, b) => a.above - b.above) };
}

function hasRate(step: { above: number; rate: bigint | null }): step is { above: number; rate: bigint } {
  return step.rate !== null;
}

/**
 * The provider that a call counts under, by its price-list id: the one that it names, else the one whose price its model has at
 * `atMs` (epoch ms), else `unknown`. A gateway is no provider. Pure.
 */
export function providerOf(
  { provider, model }: { provider?: string | null | undefined; model?: string | null | undefined },
  atMs: number,
): string {
  const named = namedProvider(provider ?? undefined);
  if (named !== null) return named;
  return (model && findListOf(provider ?? undefined, model, atMs)) || UNKNOWN_PROVIDER;
}

/**
 * The name that a call counts under: `oneProviderName` of the provider that it names, else its model's as of `providerOf`. From it
 * and the model follows the name under `providerOf`. Pure.
 */
export function countedProvider(
  { provider, model }: { provider?: string | null | undefined; model?: string | null | undefined },
  atMs: number,
): string {
  const own = oneProviderName(provider ?? '');
  return own === '' || own === UNKNOWN_PROVIDER ? providerOf({ provider, model }, atMs) : own;
}
