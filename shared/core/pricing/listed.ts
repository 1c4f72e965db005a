import { findProvider, type MatchLogic, type Provider } from '@pydantic/genai-prices';

import type { PriceQuery } from './providers.ts';

type Matcher = (modelId: string) => boolean;

const COMPACT_DATE = /-(20\d\d)([01]\d)([0-3]\d)(?=-|:|$)/g;

const matchersByProvider = new WeakMap<Provider, readonly Matcher[]>();

/**
 * True when the price list may know this model: "no" is certain, the library confirms a "yes". The
 * library compares every rule in lower case anew, up to 0.1 ms for each spelling of an unknown name: a batch of
 * made-up names would hold the event loop for a second. Compiled once, the same rules take a few microseconds.
 */
export function mayBeListed(query: PriceQuery): boolean {
  const { provider: providerId, model } = query;
  const provider = findProvider(providerId === undefined ? { modelId: model } : { providerId });
  if (!provider) return false;
  const fallbacks = (provider.fallback_model_providers ?? []).map((id) => findProvider({ providerId: id }));
  return [provider, ...fallbacks].some((candidate) => candidate && matchesAny(candidate, spellingsOf(model)));
}

/** A model's id, and with its date as most lists write it, as the library tries it a second time. */
export function spellingsOf(model: string): string[] {
  return [...new Set([model, model.replace(COMPACT_DATE, '-$1-$2-$3')])];
}

function matchesAny(provider: Provider, spellings: readonly string[]): boolean {
  let matchers = matchersByProvider.get(provider);
  if (!matchers) {
    matchers = provider.models.map((model) => compileMatch(model.match));
    matchersByProvider.set(provider, matchers);
  }
  for (const matches of matchers) if (spellings.some(matches)) return true;
  return false;
}

/** `modelId` must be in lower case, as the library makes it before it compares. */
function compileMatch(logic: MatchLogic): Matcher {
  if ('or' in logic) return anyOf(logic.or.map(compileMatch));
  if ('and' in logic) return allOf(logic.and.map(compileMatch));
  if ('regex' in logic) return testerOf(new RegExp(logic.regex));
  const [kind, rawText] = Object.entries(logic)[0] ?? [];
  const text = String(rawText).toLowerCase();
  if (kind === 'equals') return (modelId) => modelId === text;
  if (kind === 'starts_with') return (modelId) => modelId.startsWith(text);
  if (kind === 'ends_with') return (modelId) => modelId.endsWith(text);
  if (kind === 'contains') return (modelId) => modelId.includes(text);
  return () => true; // An unknown kind of rule: the library decides.
}

function anyOf(matchers: readonly Matcher[]): Matcher {
  return (modelId) => matchers.some((matches) => matches(modelId));
}

function allOf(matchers: readonly Matcher[]): Matcher {
  return (modelId) => matchers.every((matches) => matches(modelId));
}

function testerOf(pattern: RegExp): Matcher {
  return (modelId) => pattern.test(modelId);
}
