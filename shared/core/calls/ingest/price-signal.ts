import { type CallPrice, priceCall } from '../../pricing/price.ts';
import type { PriceBook } from '../../pricing/rules/price-book.ts';
import { priceByRules } from '../../pricing/rules/price-by-rules.ts';
import { callOf, SPLIT_FIELDS } from '../sessions/split-signal.ts';
import type { Signal } from '../signals/model.ts';

export type SignalPrice = Pick<Signal, 'cost_nusd' | 'cost_source' | (typeof RULED_FIELDS)[number]>;

/** The fields that only a signal with the price of a rule has. */
export const RULED_FIELDS = [
  'price_rule',
  'list_nusd',
  'reported_nusd',
] as const satisfies readonly (keyof Signal)[];

/** The fields of a signal that its price depends on. */
export const PRICING_FIELDS = [
  ...SPLIT_FIELDS,
  'type',
  'price_provider',
  'project_id',
  'uncounted',
  'price_rule',
  'reported_nusd',
] as const satisfies readonly (keyof Signal)[];
export type PricedSignal = Pick<Signal, (typeof PRICING_FIELDS)[number]>;

/** The price that a signal has without rules, also one that a rule has priced: as it was reported, else by the list. Pure. */
export function ownPriceOf(signal: PricedSignal): CallPrice {
  const { cost_nusd, cost_source, reported_nusd, uncounted } = signal;
  if (reported_nusd !== undefined) return { costNusd: reported_nusd, source: 'reported' };
  if (cost_source === 'reported') return { costNusd: cost_nusd, source: 'reported' };
  return priceCall({ ...callOf(signal), isUncounted: uncounted });
}

/** The price of a signal by a price book, where it has `own` without one: the one place that decides it. Pure. */
export function priceSignal(signal: PricedSignal, own: CallPrice, book: PriceBook): SignalPrice {
  const { type, price_provider, project_id, uncounted } = signal;
  const call = { ...callOf(signal), price_provider, project_id, isUncounted: uncounted };
  // Nothing but calls has a price by a rule.
  const price = (type === 'call' && priceByRules(call, own, book)) || own;
  const priced = { cost_nusd: price.costNusd, cost_source: price.source };
  if (!('rule' in price)) return priced;
  return {
    ...priced,
    price_rule: price.rule,
    ...(price.listNusd === null ? {} : { list_nusd: price.listNusd }),
    ...(own.source === 'reported' && own.costNusd !== null ? { reported_nusd: own.costNusd } : {}),
  };
}
