import { priceCall } from '../../../pricing/price.ts';
import { countedProvider } from '../../../pricing/provider-of.ts';
import type { PriceBook } from '../../../pricing/rules/price-book.ts';
import { priceWithRules } from '../../../pricing/rules/price-by-rules.ts';
import { refusesUnpriced } from '../../budgets/rules/model.ts';
import type { Caller, OpenBudget } from '../state/budget-status.ts';

/** The counts of a call that somebody is about to make. */
interface ExpectedTokens {
  tokens_in: number;
  tokens_out: number;
  output_image_tokens?: number;
  output_audio_tokens?: number;
}

/**
 * The cost of a call of these tokens, nano-USD: by the price rules of its organization, else by the list. Null where neither has a
 * price for it, or it names no model. Pure.
 */
export function expectedCost(
  { call = {}, projectId }: Caller,
  tokens: ExpectedTokens,
  { prices, nowMs }: { prices: PriceBook; nowMs: number },
): number | null {
  const { model, provider } = call;
  if (model === undefined) return null;
  const asked = { model, provider, at: nowMs, cache_read_tokens: 0, cache_write_tokens: 0, ...tokens };
  if (prices.rules.length === 0) return priceCall(asked).costNusd;
  const price_provider = countedProvider({ model, provider }, nowMs);
  return priceWithRules({ ...asked, price_provider, project_id: projectId }, prices).costNusd;
}

/** A thousand tokens of each kind, one of which every model with a price has a price for. */
const KINDS: readonly ExpectedTokens[] = [
  { tokens_in: 1_000, tokens_out: 0 },
  { tokens_in: 0, tokens_out: 1_000, output_image_tokens: 0, output_audio_tokens: 0 },
  { tokens_in: 0, tokens_out: 1_000, output_image_tokens: 1_000, output_audio_tokens: 0 },
];

/** The model of a call that has no price, where a budget refuses such calls; else null. Pure. */
export function unpricedIn(
  open: readonly OpenBudget[],
  caller: Caller,
  by: { prices: PriceBook; nowMs: number },
): { unpricedModel: string | null } {
  const isAsked = open.some(({ budget }) => refusesUnpriced(budget));
  return { unpricedModel: isAsked ? modelWithoutPrice(caller, by) : null };
}

/** The model of a call where neither the list nor a rule has any price for it; else null. */
function modelWithoutPrice(caller: Caller, by: { prices: PriceBook; nowMs: number }): string | null {
  const { model } = caller.call ?? {};
  if (model === undefined) return null;
  return KINDS.some((tokens) => expectedCost(caller, tokens, by) !== null) ? null : model;
}
