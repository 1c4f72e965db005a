import { DomainError } from '../../../../platform/basics/errors.ts';
import { nusdFromUsd } from '../../../pricing/money.ts';
import { priceCall } from '../../../pricing/price.ts';

/** The expected size of a call: its cost in US dollars, or its tokens. */
export interface Expected {
  estimate_usd?: number | undefined;
  tokens_in?: number | undefined;
  tokens_out?: number | undefined;
  model?: string | undefined;
  provider?: string | undefined;
}

/**
 * The estimate of a call in nano-USD: 0 for a model that is free at `nowMs`, else what was named, else the list price of its
 * tokens. Null when nothing was named, or the list has no price for these tokens. Pure. Throws `invalid_request` for both a cost
 * and tokens.
 */
export function estimateOf(expected: Expected, nowMs: number): number | null {
  const { estimate_usd, tokens_in, tokens_out } = expected;
  const hasTokens = tokens_in !== undefined || tokens_out !== undefined;
  if (estimate_usd !== undefined && hasTokens)
    throw new DomainError('invalid_request', 'Name estimate_usd, or tokens_in and tokens_out, not both.');
  if (isFree(expected, nowMs)) return 0;
  if (estimate_usd !== undefined) return nusdFromUsd(estimate_usd);
  return hasTokens
    ? listedCost(expected, { tokens_in: tokens_in ?? 0, tokens_out: tokens_out ?? 0 }, nowMs)
    : null;
}

/** Returns whether the price list gives the model away. A model without a price is not free. */
function isFree(expected: Expected, nowMs: number): boolean {
  return listedCost(expected, { tokens_in: 1_000_000, tokens_out: 1_000_000 }, nowMs) === 0;
}

function listedCost(
  { model, provider }: Expected,
  tokens: { tokens_in: number; tokens_out: number },
  nowMs: number,
): number | null {
  if (model === undefined) return null;
  const call = { model, provider, at: nowMs, cache_read_tokens: 0, cache_write_tokens: 0, ...tokens };
  return priceCall(call).costNusd;
}
