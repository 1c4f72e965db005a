import { priceCall } from '../../pricing/price.ts';
import type { PriceBook } from '../../pricing/rules/price-book.ts';
import { priceByRules } from '../../pricing/rules/price-by-rules.ts';
import { callOf } from '../sessions/split-signal.ts';
import type { Draft } from '../signals/check-signal.ts';

/** The price of a draft, with the rule that made it. */
interface Price {
  readonly costNusd: number | null;
  readonly source: Draft['cost_source'];
  readonly rule?: Draft['price_rule'] | undefined;
}

/** The price that a draft came with, and the price book that it has its price by. */
interface Own {
  price: Price;
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
    const { costNusd, source } = price;
    // A draft that was held with the price of a rule keeps it where no rule holds any more.
    const own = source === 'rule' ? priceCall(call) : { costNusd, source };
    const isCall = draft.type === 'call';
    const ruled = isCall ? priceByRules({ ...call, isUncounted: draft.uncounted }, own, book) : null;
    setPrice(draft, ruled ?? price);
  }
}

function ownPriceOf({ cost_nusd, cost_source, price_rule }: Draft): Price {
  return { costNusd: cost_nusd, source: cost_source, rule: price_rule };
}

function setPrice(draft: Draft, { costNusd, source, rule }: Price): void {
  draft.cost_nusd = costNusd;
  draft.cost_source = source;
  if (rule) draft.price_rule = rule;
  else delete draft.price_rule;
}
