import type { PricedCall } from '../../pricing/price.ts';
import { PRICED_FIELDS, pricedFieldsOf } from '../../pricing/priced-fields.ts';
import { type SplitCost, splitCall } from '../../pricing/split-call.ts';
import type { Signal } from '../signals/model.ts';

export const SPLIT_FIELDS = [
  'ts',
  'model',
  'provider',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_nusd',
  'cost_source',
  ...PRICED_FIELDS,
] as const satisfies readonly (keyof Signal)[];
export type SplitSignal = Pick<Signal, (typeof SPLIT_FIELDS)[number]>;

export function callOf(signal: SplitSignal): PricedCall {
  const { ts, model, provider, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = signal;
  const tokens = { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, ...pricedFieldsOf(signal) };
  return { at: ts, model: model ?? undefined, provider: provider ?? undefined, ...tokens };
}

/** The recorded cost of a signal by parts, nano-USD. Null without a cost or a list price. */
export function splitSignal(signal: SplitSignal): SplitCost | null {
  const { cost_nusd, cost_source } = signal;
  return cost_nusd === null ? null : splitCall(callOf(signal), { costNusd: cost_nusd, source: cost_source });
}
