import { listedProvider } from '../provider-of.ts';
import { modelNames } from '../providers.ts';
import { MATCH_FIELDS, type PriceRule, type RuleMatch } from './price-rule.ts';

export interface MatchedCall {
  readonly provider?: string | null | undefined;
  /** The provider that it counts under. */
  readonly price_provider?: string | undefined;
  readonly model?: string | null | undefined;
  readonly service_tier?: string | undefined;
  readonly project_id?: string | undefined;
}

export interface PriceBook {
  readonly rules: readonly PriceRule[];
  /** Finds the rules that match a call of this time (epoch ms), whenever they hold, best first. */
  matching(call: MatchedCall, atMs: number): readonly PriceRule[];
}

export const NO_PRICES: PriceBook = { rules: [], matching: () => [] };

/** Calls of an organization that differ in nothing that rules match share their rules. */
const MOST_KINDS = 5_000;

/** Opens a price book: the rules in the order in which the best one wins. */
export function openPriceBook(rules: readonly PriceRule[]): PriceBook {
  if (rules.length === 0) return NO_PRICES;
  const ordered = rules.toSorted(bestFirst).map((rule) => ({ rule, matches: matcherOf(rule.match) }));
  const byKind = new Map<string, readonly PriceRule[]>();
  return {
    rules,
    matching: (call, atMs) => {
      const kind = [call.provider, call.price_provider, call.model, call.service_tier, call.project_id]
        .map((part) => part ?? '')
        .join('\n');
      const known = byKind.get(kind);
      if (known) return known;
      const names = namesOf(call, atMs);
      const found = ordered.filter(({ matches }) => matches(names)).map(({ rule }) => rule);
      if (byKind.size >= MOST_KINDS) byKind.clear();
      byKind.set(kind, found);
      return found;
    },
  };
}

/** More fields, then an exact model before a pattern, then the later beginning, then the later creation. */
function bestFirst(a: PriceRule, b: PriceRule): number {
  return (
    countFields(b.match) - countFields(a.match) ||
    Number(isExact(b.match)) - Number(isExact(a.match)) ||
    b.from.getTime() - a.from.getTime() ||
    b.created_at.getTime() - a.created_at.getTime() ||
    (a._id < b._id ? 1 : -1)
  );
}

function countFields(match: RuleMatch): number {
  return MATCH_FIELDS.filter((field) => match[field] !== null).length;
}

function isExact({ model }: RuleMatch): boolean {
  return model !== null && !model.includes('*');
}

/** The names of a call in lower case, by the field that matches them. */
type Names = Record<keyof RuleMatch, readonly string[]>;

function namesOf(call: MatchedCall, atMs: number): Names {
  const { provider, price_provider, model } = call;
  // A gateway's calls count under the provider of their model too.
  const listed = price_provider === undefined ? null : listedProvider(price_provider, model ?? null, atMs);
  const lower = (names: readonly (string | null | undefined)[]) =>
    names.flatMap((name) => (name ? [name.toLowerCase()] : []));
  return {
    provider: lower([provider, price_provider, listed]),
    model: model ? lower(modelNames(model)) : [],
    service_tier: [call.service_tier?.toLowerCase() ?? 'standard'],
    project_id: lower([call.project_id]),
  };
}

function matcherOf(match: RuleMatch): (names: Names) => boolean {
  const tests = MATCH_FIELDS.flatMap((field) => {
    const pattern = match[field]?.toLowerCase();
    return pattern === undefined ? [] : [{ field, pattern }];
  });
  return (names) => tests.every(({ field, pattern }) => names[field].some((name) => isLike(pattern, name)));
}

/** True when a pattern stands for a name. `*` is any characters, also none; the time grows with both lengths alone. */
function isLike(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return pattern === name;
  const last = parts.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}
