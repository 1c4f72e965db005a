import { nusdFromUsd } from '../../../../shared/pricing/money.ts';
import { priceCall } from '../../../../shared/pricing/price.ts';
import { findRates } from '../../../../shared/pricing/rates.ts';

interface Call {
  model: string | undefined;
  ts: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that is cached for an hour. */
  longCache: number;
}

/**
 * US dollars of a call that cached for an hour, which costs twice the input price; the price list knows only the five
 * minutes' price. Undefined when the model has no known price.
 */
export function longCacheCostUsd(call: Call): number | undefined {
  const { model, ts, input, output, cacheRead, cacheWrite, longCache } = call;
  const at = Date.parse(ts);
  const { costNusd } = priceCall({
    model,
    at,
    tokens_in: input,
    tokens_out: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
  });
  const rates = model === undefined ? null : findRates(undefined, model, at);
  if (costNusd === null || !rates?.input || !rates.cacheWrite) return undefined;
  const extraPerToken = 2n * rates.input.base - rates.cacheWrite.base;
  const extraNusd = Number((BigInt(Math.min(longCache, cacheWrite)) * extraPerToken) / 1_000_000_000n);
  const usd = (costNusd + extraNusd) / 1e9;
  return nusdFromUsd(usd) === null ? undefined : usd;
}
