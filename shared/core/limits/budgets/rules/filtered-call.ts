import { listedProvider } from '../../../pricing/provider-of.ts';
import { modelNames, oneProviderName } from '../../../pricing/providers.ts';
import { type BudgetFilter, createMatcher, type FilteredCall, type Matcher } from './filter.ts';

/** Returns the matcher of a filter. Its providers may have any name that calls give them. Pure. */
export function matcherOf({ providers, ...rest }: BudgetFilter): Matcher {
  return createMatcher({ ...rest, ...(providers ? { providers: providers.map(oneProviderName) } : {}) });
}

/**
 * A call, or rollups of calls, as filters see it: by its model with and without what gateways put before it, and by the provider
 * that it counts under (`countedProvider`) with that of the price list. Pure.
 */
export function filteredCall(
  { model, provider, adapter }: Omit<FilteredCall, 'also'>,
  atMs: number,
): FilteredCall {
  const models = model === null ? [] : modelNames(model);
  return {
    model,
    provider: provider === null ? null : listedProvider(provider, model, atMs),
    adapter,
    also: { models, providers: provider === null ? [] : [provider] },
  };
}
