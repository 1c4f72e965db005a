import type { CallPrice } from '../../pricing/price.ts';
import { priceCall } from '../../pricing/price.ts';
import type { PriceBook } from '../../pricing/rules/price-book.ts';
import { priceByRules, type RuledPrice } from '../../pricing/rules/price-by-rules.ts';
import { callOf } from '../sessions/split-signal.ts';
import type { Draft } from '../signals/check-signal.ts';

/** The price of a draft without rules, and the price book that it has its price by. */
interface Own {
  price: CallPrice | RuledPrice;
  book: PriceBook;
}

const owns = new WeakMap<Draft, Own>();

/**
 * Gives drafts the price that they have by a price book. Repeated with the book of a later version it gives them the price of that one:
 * a batch is priced by the rules that its transaction sees.
 */
export function priceDrafts(drafts: readonly Draft[], book: PriceBook): void {
  for (const draft of drafts) {
    const known = owns.get(draft);
    if (known ? known.book === book : book.rules.length === 0) continue;
    const price = known?.price ?? ownPriceOf(draft);
    owns.set(draft, { price, book });
    const call = { ...callOf(draft), price_provider: draft.price_provider, project_id: draft.project_id };
    const own: CallPrice = price.source === 'rule' ? priceCall(call) : price;
    const isCall = draft.type === 'call';
    const ruled = isCall ? priceByRules({ ...call, isUncounted: draft.uncounted }, own, book) : null;
    setPrice(draft, ruled ?? price);
  }
}

function ownPriceOf({ cost_nusd, cost_source, price_rule }: Draft): Own['price'] {
  if (cost_source !== 'rule') return { costNusd: cost_nusd, source: cost_source };
  // It was held with the price of a rule, which it keeps where no rule holds any more.
  const parts = { input: 0n, cache_read: 0n, cache_write: 0n, output: 0n, request: 0n };
  return { costNusd: cost_nusd ?? 0, source: 'rule', rule: price_rule ?? { id: '', name: '' }, parts };
}

function setPrice(draft: Draft, price: CallPrice | RuledPrice): void {
  draft.cost_nusd = price.costNusd;
  draft.cost_source = price.source;
  if (price.source === 'rule') draft.price_rule = price.rule;
  else delete draft.price_rule;
}
