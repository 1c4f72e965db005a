import type { ModelPrice, TieredPrices } from '@pydantic/genai-prices';
import { scaleDecimal } from './money.ts';

/** Atto-USD (1e-18 USD) per token: small enough that every list price is an integer. */
export interface Rate {
  readonly base: bigint;
  /** Ascending; the last one whose `above` is exceeded by the call's input tokens holds for all its tokens. */
  readonly tiers: readonly { readonly above: number; readonly rate: bigint }[];
}

/** The prices of one model at one time. A missing rate means that nobody names one. */
export interface Rates {
  readonly input: Rate | undefined;
  readonly cacheRead: Rate | undefined;
  readonly cacheWrite: Rate | undefined;
  /** Tokens that are cached for an hour. No other class holds them: without a rate they have no price. */
  readonly cacheWrite1h: Rate | undefined;
  readonly output: Rate | undefined;
  /** Images and sound in the output; undefined where they cost what other output costs. */
  readonly outputImage: Rate | undefined;
  readonly outputAudio: Rate | undefined;
  /** True where a part of the output has a price of its own that no call counts. */
  readonly isOutputUnsplit: boolean;
  readonly attoPerRequest: bigint;
  /** Atto-USD for one use of a tool that the vendor runs, by its name. */
  readonly attoPerUse: ReadonlyMap<string, bigint>;
}

/**
 * The decision about each key of the price list. `read`: it prices a class of tokens or a fee. `as_text`: it prices a part of the
 * input, which no call splits, so that the price of text holds. `unsplit`: it prices a part of the output that no call counts.
 * `by_other_unit`: it prices hours, pages or messages, which no call counts, so that no call of the model has a price. A key
 * that is not here takes the price from every call of its model.
 */
export const KEY_DECISIONS = {
  input_mtok: 'read',
  output_mtok: 'read',
  cache_read_mtok: 'read',
  cache_write_mtok: 'read',
  cache_write_1h_mtok: 'read',
  output_image_mtok: 'read',
  output_audio_mtok: 'read',
  requests_kcount: 'read',
  web_searches_kcount: 'read',
  storage_searches_kcount: 'read',
  input_audio_mtok: 'as_text',
  input_image_mtok: 'as_text',
  input_video_mtok: 'as_text',
  cache_audio_read_mtok: 'as_text',
  cache_image_read_mtok: 'as_text',
  output_video_mtok: 'unsplit',
  output_reasoning_mtok: 'unsplit',
  output_citation_mtok: 'unsplit',
  audio_hours: 'by_other_unit',
  input_audio_hours: 'by_other_unit',
  input_document_kpages: 'by_other_unit',
  input_annotated_document_kpages: 'by_other_unit',
  input_text_messages_kcount: 'by_other_unit',
} as const satisfies Record<string, 'read' | 'as_text' | 'unsplit' | 'by_other_unit'>;

type Key = keyof typeof KEY_DECISIONS;

/** The names under which calls count the uses of tools, and the keys that price them. */
const TOOL_KEYS = [
  ['web_search', 'web_searches_kcount'],
  ['file_search', 'storage_searches_kcount'],
] as const;

/** USD per million tokens → atto-USD per token, and USD per thousand → atto-USD for one. */
export const MTOK_PLACES = 12;
export const KCOUNT_PLACES = 15;
const NOTHING: Rate = { base: 0n, tiers: [] };

export const FREE: Rates = {
  input: NOTHING,
  cacheRead: NOTHING,
  cacheWrite: NOTHING,
  cacheWrite1h: NOTHING,
  output: NOTHING,
  outputImage: undefined,
  outputAudio: undefined,
  isOutputUnsplit: false,
  attoPerRequest: 0n,
  attoPerUse: new Map(),
};

/**
 * The rates of an entry of the price list: null where it has a key without a decision, one of another unit, or a price that cannot
 * be read. Tokens of a class without a price of its own are priced as the class that holds them; an empty entry is free. Pure.
 */
export function readRates(price: ModelPrice): Rates | null {
  const keys = Object.keys(price).filter((key) => price[key] !== undefined);
  if (keys.length === 0) return FREE;
  if (!keys.every(isDecided) || keys.some((key) => KEY_DECISIONS[key as Key] === 'by_other_unit'))
    return null;
  try {
    const input = readRate(price.input_mtok);
    const output = readRate(price.output_mtok);
    const unlikeOutput = (key: Key) => otherThan(output, readRate(price[key]));
    return {
      input,
      cacheRead: readRate(price.cache_read_mtok) ?? input,
      cacheWrite: readRate(price.cache_write_mtok) ?? input,
      cacheWrite1h: readRate(price.cache_write_1h_mtok),
      output,
      outputImage: unlikeOutput('output_image_mtok'),
      outputAudio: unlikeOutput('output_audio_mtok'),
      isOutputUnsplit: keys.some(
        (key) => KEY_DECISIONS[key as Key] === 'unsplit' && unlikeOutput(key as Key),
      ),
      attoPerRequest: readFee(price.requests_kcount) ?? 0n,
      attoPerUse: new Map(
        TOOL_KEYS.flatMap(([tool, key]) => {
          const fee = readFee(price[key]);
          return fee === undefined ? [] : [[tool, fee] as const];
        }),
      ),
    };
  } catch (error) {
    if (error instanceof UnreadablePrice) return null;
    throw error;
  }
}

function isDecided(key: string): boolean {
  return Object.hasOwn(KEY_DECISIONS, key);
}

class UnreadablePrice extends Error {}

type ListPrice = number | TieredPrices | undefined;

function readRate(price: ListPrice): Rate | undefined {
  if (price === undefined) return undefined;
  const { base, tiers } = typeof price === 'number' ? { base: price, tiers: [] } : price;
  const steps = tiers.map((tier) => ({ above: tier.start, rate: scaled(tier.price, MTOK_PLACES) }));
  return { base: scaled(base, MTOK_PLACES), tiers: steps.sort((a, b) => a.above - b.above) };
}

function readFee(price: ListPrice): bigint | undefined {
  if (price === undefined) return undefined;
  if (typeof price !== 'number') throw new UnreadablePrice();
  return scaled(price, KCOUNT_PLACES);
}

function scaled(price: number, places: number): bigint {
  const atto = scaleDecimal(price, places);
  if (atto === null) throw new UnreadablePrice();
  return atto;
}

/** A rate that is another one than that of the text; undefined for an equal one, which holds for the whole output. */
function otherThan(text: Rate | undefined, rate: Rate | undefined): Rate | undefined {
  return text && rate && isSame(text, rate) ? undefined : rate;
}

function isSame(one: Rate, other: Rate): boolean {
  return (
    one.base === other.base &&
    one.tiers.length === other.tiers.length &&
    one.tiers.every(
      ({ above, rate }, at) => other.tiers[at]?.above === above && other.tiers[at].rate === rate,
    )
  );
}
