import {
  ATTO_PER_NANO,
  CALL_PARTS,
  type CallPart,
  type CallTokens,
  listPrice,
  type PricedCall,
  partsByRates,
} from './price.ts';
import type { Rates } from './read-rates.ts';

/** Nano-USD of each part of a call. They sum to the call's cost. */
export type SplitCost = Record<CallPart, number>;

/** The recorded cost of a call, nano-USD, and where it came from. */
interface RecordedCost {
  costNusd: number;
  source: 'reported' | 'computed' | 'unknown' | 'rule';
}

/**
 * Splits the recorded cost of a call into its parts. A computed cost is split by the rates of the list. Any other cost, and a
 * computed one that today's list no longer gives, is split in the proportion of the list price, rounded down. The largest part, at a
 * tie the first, takes the remainder. Null without a list price, and where the list says that a call is free which cost
 * something. Pure.
 */
export function splitCall(call: PricedCall, recorded: RecordedCost): SplitCost | null {
  const list = listPrice(call);
  if (list === null) return null;
  return splitListed(list, recorded) ?? splitInProportion(list, recorded.costNusd);
}

/**
 * Splits a cost in the proportion of these parts, rounded down. The largest part takes the remainder. Null where all of them are
 * free and the cost is not. Pure.
 */
export function splitInProportion(parts: Record<CallPart, bigint>, costNusd: number): SplitCost | null {
  const whole = CALL_PARTS.reduce((sum, part) => sum + parts[part], 0n);
  if (whole === 0n && costNusd !== 0) return null;
  const share = (atto: bigint) => (whole === 0n ? 0n : (BigInt(costNusd) * atto) / whole);
  return withRest(roundDown(parts, share), parts, costNusd);
}

/** The same for a computed cost that these rates of the list still give: tokens × rate of each part, rounded down. Null for any other. */
export function splitByRates(call: CallTokens, rates: Rates, recorded: RecordedCost): SplitCost | null {
  const list = partsByRates(call, rates);
  return list && splitListed(list, recorded);
}

function splitListed(list: Record<CallPart, bigint>, { costNusd, source }: RecordedCost): SplitCost | null {
  if (source !== 'computed') return null;
  const split = roundDown(list, (atto) => atto / ATTO_PER_NANO);
  return isOfList(split, costNusd) ? withRest(split, list, costNusd) : null;
}

function withRest(split: SplitCost, list: Record<CallPart, bigint>, costNusd: number): SplitCost {
  const largest = largestPart(split, list);
  return { ...split, [largest]: split[largest] + costNusd - sumOf(split) };
}

function roundDown(list: Record<CallPart, bigint>, share: (atto: bigint) => bigint): SplitCost {
  const { input, cache_read, cache_write, output, request } = list;
  return {
    input: Number(share(input)),
    cache_read: Number(share(cache_read)),
    cache_write: Number(share(cache_write)),
    output: Number(share(output)),
    request: Number(share(request)),
  };
}

function sumOf(split: SplitCost): number {
  return CALL_PARTS.reduce((sum, part) => sum + split[part], 0);
}

/** Each part lost less than one nanodollar, and the recorded cost was rounded once. */
function isOfList(split: SplitCost, costNusd: number): boolean {
  const rest = costNusd - sumOf(split);
  return rest >= 0 && rest < CALL_PARTS.length;
}

/** A part without tokens has no price, and takes nothing. */
function largestPart(split: SplitCost, list: Record<CallPart, bigint>): CallPart {
  const priced = CALL_PARTS.filter((part) => list[part] > 0n);
  return priced.reduce(
    (largest, part) => (split[part] > split[largest] ? part : largest),
    priced[0] ?? 'input',
  );
}
