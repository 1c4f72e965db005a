import { z } from 'zod';
import { text } from '../../../../platform/basics/text.ts';

const values = z.array(text(128)).min(1).max(20);

/** Calls that a budget counts: within a list any value, between the lists all of them. */
export const filterInput = z
  .strictObject({
    models: values.optional().describe('Names of models; `*` stands for any characters, also none'),
    providers: values.optional().describe('Names of providers, as calls or the price list have them'),
    adapters: values.optional().describe('Names of adapters'),
  })
  .refine(
    (filter) => Object.values(filter).some((list) => list !== undefined),
    'must have at least one list',
  );

/** The same in one form: lower case, each value once, in order. */
export interface BudgetFilter {
  models?: string[];
  providers?: string[];
  adapters?: string[];
}

/** A call, or rollups of calls: its model, its provider by the price list, its adapter. Null: it does not name that. */
export interface FilteredCall {
  model: string | null;
  provider: string | null;
  adapter: string | null;
  /** Other names of the same model and provider: a filter may have any of them. */
  also?: { models: readonly string[]; providers: readonly string[] };
}

/** Answers whether calls match a filter. Null: they do not name what the filter asks about, and match otherwise. */
export type Matcher = (call: FilteredCall) => boolean | null;

const LISTS = ['models', 'providers', 'adapters'] as const;

/** A posted filter in its one form. Pure. */
export function canonicalFilter(filter: z.output<typeof filterInput>): BudgetFilter {
  const lists = LISTS.flatMap((name) => {
    const list = filter[name];
    return list ? [[name, [...new Set(list.map(lowerAscii))].sort()]] : [];
  });
  return Object.fromEntries(lists);
}

/** A filter as one text: the same calls in the same form, the same text. Empty without a filter. Pure. */
export function filterText(filter: BudgetFilter | null | undefined): string {
  return filter ? JSON.stringify(LISTS.map((name) => filter[name] ?? null)) : '';
}

/** Answers for each value of a list are kept: calls name few of them. */
const MOST_KEPT = 1_000;

/** Returns the matcher of a filter. It compares a value with a list once. */
export function createMatcher({ models, providers, adapters }: BudgetFilter): Matcher {
  const ofModel = listMatcher(models, matchesPattern);
  const ofProvider = listMatcher(providers, isEqual);
  const ofAdapter = listMatcher(adapters, isEqual);
  return ({ model, provider, adapter, also }) => {
    const answers = [
      ofModel(model, also?.models),
      ofProvider(provider, also?.providers),
      ofAdapter(adapter, []),
    ];
    if (answers.includes(false)) return false;
    return answers.includes(null) ? null : true;
  };
}

function listMatcher(
  list: readonly string[] | undefined,
  matches: (pattern: string, value: string) => boolean,
): (value: string | null, others: readonly string[] | undefined) => boolean | null {
  if (!list) return () => true;
  const kept = new Map<string, boolean>();
  const isListed = (value: string): boolean => {
    const known = kept.get(value);
    if (known !== undefined) return known;
    const lower = lowerAscii(value);
    const answer = list.some((pattern) => matches(pattern, lower));
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(value, answer);
    return answer;
  };
  return (value, others) => {
    if (others?.some(isListed)) return true;
    return value === null ? null : isListed(value);
  };
}

function isEqual(pattern: string, value: string): boolean {
  return pattern === value;
}

/** Each part between two stars is taken where it comes first, so the time is at most the product of the two lengths. */
function matchesPattern(pattern: string, value: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return value === first;
  const end = value.length - last.length;
  if (!value.startsWith(first) || !value.endsWith(last) || first.length > end) return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** Only A to Z: other letters have no case of their own in every language. */
function lowerAscii(value: string): string {
  return value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
