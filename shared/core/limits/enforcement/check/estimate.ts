import { DomainError } from '../../../../platform/basics/errors.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { nusdFromUsd } from '../../../pricing/money.ts';
import { NO_PRICES, type PriceBook } from '../../../pricing/rules/price-book.ts';
import type { Caller } from '../state/budget-status.ts';
import { statusCache } from '../state/cached-status.ts';
import { expectedCost } from './priced.ts';

/** The expected size of a call: its cost in US dollars, or its tokens. */
export interface Expected {
  estimate_usd?: number | undefined;
  tokens_in?: number | undefined;
  tokens_out?: number | undefined;
}

/**
 * The estimate of a call in nano-USD by the price rules that this process has read last, in memory. Throws as `estimateBy`, and as
 * `checkBudgets` does.
 */
export async function estimateOf(ctx: Context, caller: Caller, expected: Expected): Promise<number | null> {
  const cached = await statusCache(ctx).get(caller.orgId);
  const prices = cached?.value.rules.prices ?? NO_PRICES;
  return estimateBy(caller, expected, { prices, nowMs: ctx.clock.now() });
}

/**
 * The estimate of a call in nano-USD: 0 for a model that is free at `nowMs`, else what was named, else the price of its tokens by the
 * organization's rules or the list. Null when nothing was named, or these tokens have no price. Pure. Throws `invalid_request` for
 * both a cost and tokens.
 */
export function estimateBy(
  caller: Caller,
  { estimate_usd, tokens_in, tokens_out }: Expected,
  by: { prices: PriceBook; nowMs: number },
): number | null {
  const hasTokens = tokens_in !== undefined || tokens_out !== undefined;
  if (estimate_usd !== undefined && hasTokens)
    throw new DomainError('invalid_request', 'Name estimate_usd, or tokens_in and tokens_out, not both.');
  if (isFree(caller, by)) return 0;
  if (estimate_usd !== undefined) return nusdFromUsd(estimate_usd);
  if (!hasTokens) return null;
  return expectedCost(caller, { tokens_in: tokens_in ?? 0, tokens_out: tokens_out ?? 0 }, by);
}

/** Returns whether the price of a model is nothing. A model without a price is not free. */
function isFree(caller: Caller, by: { prices: PriceBook; nowMs: number }): boolean {
  return expectedCost(caller, { tokens_in: 1_000_000, tokens_out: 1_000_000 }, by) === 0;
}
