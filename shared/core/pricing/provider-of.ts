import { namedProvider, oneProviderName, UNKNOWN_PROVIDER } from './providers.ts';
import { findListOf } from './rates.ts';

/**
 * The provider that a call counts under, by its price-list id: the one that it names, else the one whose price its model has at
 * `atMs` (epoch ms), else `unknown`. A gateway is no provider. Pure.
 */
export function providerOf(
  { provider, model }: { provider?: string | null | undefined; model?: string | null | undefined },
  atMs: number,
): string {
  const named = namedProvider(provider ?? undefined);
  if (named !== null) return named;
  return (model && findListOf(provider ?? undefined, model, atMs)) || UNKNOWN_PROVIDER;
}

/**
 * The name that a call counts under: `oneProviderName` of the provider that it names, else its model's as of `providerOf`. From it
 * and the model follows the name under `providerOf`. Pure.
 */
export function countedProvider(
  { provider, model }: { provider?: string | null | undefined; model?: string | null | undefined },
  atMs: number,
): string {
  const own = oneProviderName(provider ?? '');
  return own === '' || own === UNKNOWN_PROVIDER ? providerOf({ provider, model }, atMs) : own;
}

/**
 * The name by the price list of what a call counts under (`countedProvider`). A gateway has that of the model, so it says nothing
 * without one. Pure.
 */
export function listedProvider(provider: string, model: string | null, atMs: number): string | null {
  if (provider === UNKNOWN_PROVIDER) return provider;
  return namedProvider(provider) ?? (model === null ? null : providerOf({ provider, model }, atMs));
}
