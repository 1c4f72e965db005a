import { calcPrice, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';

import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import { mayBeListed, spellingsOf } from './listed.ts';
import { isFreeVariant, listPriceQueries, type PriceQuery } from './providers.ts';
import { FREE, type Rates, readRates } from './read-rates.ts';
import { isNamed } from './same-name.ts';
import { factorChanges, rateService, type Service, type Terms } from './surcharges.ts';

/** The prices of a model at one time, and the entry of the list that they come from. */
export interface Listing {
  readonly rates: Rates;
  /** The list's own ids. */
  readonly provider: string;
  readonly model: string;
  /** When this price began: a date, or the time of day of a price that changes every day; null where the list has one price. */
  readonly since: string | null;
  /** The tier and the region that are in the price: `standard`, `fast`, `batch-us`. */
  readonly service: string;
}

interface ListedModel {
  readonly query: PriceQuery;
  /** The ids of the list that has the price, and of its entry. */
  readonly provider: string;
  readonly model: string;
  readonly terms: Terms;
  /** Instants (epoch ms) at which the list price changed, ascending. */
  readonly changesMs: readonly number[];
  /** Times of day (ms after midnight UTC) at which it changes every day, ascending. */
  readonly dailyChangesMs: readonly number[];
  /** Between two changes the price is one: asked once, kept by the number of the period. */
  readonly byPeriod: Map<number, Listing | null>;
}

const MAX_ID_LENGTH = 256;
const MAX_LISTED = 4_096;

const listed = new Map<string, ListedModel | null>();
const ratesByPrice = new WeakMap<ModelPrice, Rates | null>();

/** The prices of a model at `atMs` (epoch ms), as it was served; null when nobody has them. Never throws, no I/O. */
export function findRates(
  provider: string | undefined,
  model: string,
  atMs: number,
  service?: Service,
): Rates | null {
  return findListing(provider, model, atMs, service)?.rates ?? null;
}

/** The same prices with the entry of the list that names them: one object as long as the price is one. A free variant has none of its own: its name is the model's. */
export function findListing(
  provider: string | undefined,
  model: string,
  atMs: number,
  service: Service = STANDARD,
): Listing | null {
  if (isTooLong(provider, model)) return null;
  if (isFreeVariant(provider, model))
    return {
      rates: FREE,
      provider: 'openrouter',
      model: model.trim().toLowerCase(),
      since: null,
      service: 'standard',
    };
  const entry = findListed(provider, model, atMs, service);
  return entry && listingAt(entry, atMs);
}

const STANDARD: Service = {};

function isTooLong(provider: string | undefined, model: string): boolean {
  return model.length > MAX_ID_LENGTH || (provider?.length ?? 0) > MAX_ID_LENGTH;
}

function listingAt(entry: ListedModel, atMs: number): Listing | null {
  const period = periodOf(entry, atMs);
  let listing = entry.byPeriod.get(period);
  if (listing === undefined) {
    const price = askPriceList(entry.query, atMs);
    const standard = price && ratesOf(price.model_price);
    const { provider, model, terms } = entry;
    const rates = standard && rateService(standard, soldBy(entry), terms, atMs);
    listing = rates && { rates, provider, model, since: sinceOf(entry, atMs), service: serviceOf(terms) };
    entry.byPeriod.set(period, listing);
  }
  return listing;
}

function serviceOf({ tiers, region }: Terms): string {
  return [...tiers, ...(region === undefined ? [] : [region])].join('-') || 'standard';
}

/** A seller that has no price of its own for the model sells it at its vendor's, but on its own terms. */
function soldBy({ query, provider, model }: Pick<ListedModel, 'query' | 'provider' | 'model'>) {
  return { provider: query.provider ?? provider, model };
}

/** The price list that has the price of a model at `atMs` (epoch ms), by its id; null when none has it. */
export function findListOf(provider: string | undefined, model: string, atMs: number): string | null {
  if (isTooLong(provider, model)) return null;
  return findListed(provider, model, atMs, STANDARD)?.provider ?? null;
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

function findListed(
  provider: string | undefined,
  model: string,
  atMs: number,
  service: Service,
): ListedModel | null {
  // No listed name holds a newline, so none can pose as another.
  const key = [provider ?? '', model, service.service_tier ?? '', service.region ?? ''].join('\n');
  const known = listed.get(key);
  if (known !== undefined) return known;
  const found = lookUp(provider, model, atMs, service);
  if (listed.size >= MAX_LISTED) {
    const oldest = listed.keys().next();
    if (!oldest.done) listed.delete(oldest.value);
  }
  listed.set(key, found);
  return found;
}

/** The ends of a model's name that change its price. */
const TIER_IN_NAME = /^(.+)[-:](fast|priority|flex|batch)$/i;

/** The list answers for the whole name; else it answers for the name without its tier, which then has a factor or no price. */
function lookUp(
  provider: string | undefined,
  model: string,
  atMs: number,
  { service_tier: tier, region }: Service,
): ListedModel | null {
  const [, base, end] = TIER_IN_NAME.exec(model.trim()) ?? [];
  const named = end?.toLowerCase();
  const whole = askLists(provider, model, atMs);
  if (whole) return listedOn(whole, { tiers: tier === undefined || tier === named ? [] : [tier], region });
  const part = base === undefined ? null : askLists(provider, base, atMs);
  const tiers = new Set([named, tier].filter((one) => one !== undefined));
  return part && listedOn(part, { tiers: [...tiers], region });
}

function askLists(provider: string | undefined, model: string, atMs: number) {
  for (const query of listPriceQueries(provider, model)) {
    const price = mayBeListed(query) ? askPriceList(query, atMs) : null;
    if (price && isNamed(price.model, spellingsOf(query.model))) return { query, price };
  }
  return null;
}

function listedOn({ query, price }: NonNullable<ReturnType<typeof askLists>>, terms: Terms): ListedModel {
  const { provider: seller, model: sold } = price;
  const of = { query, provider: seller.id, model: sold.id, terms };
  return { ...of, ...changesOf(sold, soldBy(of)), byPeriod: new Map() };
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

function changesOf(
  model: ModelInfo,
  sold: ReturnType<typeof soldBy>,
): Pick<ListedModel, 'changesMs' | 'dailyChangesMs'> {
  const instants = new Set(factorChanges(sold));
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
