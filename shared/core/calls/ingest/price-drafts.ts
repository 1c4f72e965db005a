import type { CallPrice } from '../../pricing/price.ts';
import type { PriceBook } from '../../pricing/rules/price-book.ts';
import type { Draft } from '../signals/check-signal.ts';
import { ownPriceOf, priceSignal, RULED_FIELDS } from './price-signal.ts';

interface Own {
  price: CallPrice;
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
    if (known ? known.book === book : book.rules.length === 0 && draft.cost_source !== 'rule') continue;
    const own = known?.price ?? priceWithoutRules(draft);
    owns.set(draft, { price: own, book });
    const price = priceSignal(draft, own, book);
    for (const field of RULED_FIELDS) if (price[field] === undefined) delete draft[field];
    Object.assign(draft, price);
  }
}

/** A draft comes with it, but for one that was held with the price of a rule. */
function priceWithoutRules(draft: Draft): CallPrice {
  const { cost_nusd: costNusd, cost_source: source } = draft;
  return source === 'rule' ? ownPriceOf(draft) : { costNusd, source };
}
