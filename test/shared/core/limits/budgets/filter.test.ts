import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BudgetFilter,
  canonicalFilter,
  createMatcher,
  type FilteredCall,
  filterText,
} from '../../../../../shared/core/limits/budgets/rules/filter.ts';

/** The naive matcher: a star takes nothing, or one character and goes on. */
function isLike(pattern: string, value: string): boolean {
  if (pattern === '') return value === '';
  if (pattern[0] === '*')
    return isLike(pattern.slice(1), value) || (value !== '' && isLike(pattern, value.slice(1)));
  return pattern[0] === value[0] && isLike(pattern.slice(1), value.slice(1));
}

const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function naive(filter: BudgetFilter, call: FilteredCall): boolean | null {
  const answers: (boolean | null)[] = [];
  const ask = (list: string[] | undefined, value: string | null, like: typeof isLike) => {
    if (!list) return;
    answers.push(value === null ? null : list.some((one) => like(lower(one), lower(value))));
  };
  ask(filter.models, call.model, isLike);
  ask(filter.providers, call.provider, (one, value) => one === value);
  ask(filter.adapters, call.adapter, (one, value) => one === value);
  if (answers.some((answer) => answer === false)) return false;
  return answers.some((answer) => answer === null) ? null : true;
}

/** Few letters, so that patterns often match. `İ` and `K` (Kelvin) have a lower case that is not one of ASCII. */
const letters = fc.constantFrom('a', 'A', 'b', '-', '.', 'İ', 'K', '(');
const name = fc.array(letters, { minLength: 1, maxLength: 6 }).map((all) => all.join(''));
const pattern = fc
  .array(fc.oneof(letters, fc.constant('*')), { minLength: 1, maxLength: 7 })
  .map((all) => all.join(''));
const listOf = (one: fc.Arbitrary<string>) =>
  fc.option(fc.array(one, { minLength: 1, maxLength: 3 }), { nil: undefined });
const filters = fc
  .record({ models: listOf(pattern), providers: listOf(name), adapters: listOf(name) })
  .filter((filter) => Object.values(filter).some((list) => list !== undefined));
const asked = fc.option(name, { nil: null });
const calls = fc.record({ model: asked, provider: asked, adapter: asked });

describe('a filter', () => {
  it('matches the calls that a naive matcher matches, asked once or again', () => {
    fc.assert(
      fc.property(filters, fc.array(calls, { maxLength: 8 }), (filter, several) => {
        const matches = createMatcher(canonicalFilter(filter));
        for (const call of [...several, ...several])
          expect(matches(call)).toBe(naive(canonicalFilter(filter), call));
      }),
      { numRuns: 2_000 },
    );
  });

  it('has one text, in whatever order and case its values come', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        const turned = Object.fromEntries(
          Object.entries(filter)
            .reverse()
            .map(([key, list]) => [key, list?.toReversed().flatMap((one) => [one.toUpperCase(), one])]),
        );
        const isAscii = Object.values(filter).every(
          (list) => list?.every((one) => !/[^ -~]/.test(one)) ?? true,
        );
        if (isAscii) expect(filterText(canonicalFilter(turned))).toBe(filterText(canonicalFilter(filter)));
        const once = canonicalFilter(filter);
        expect(canonicalFilter(once)).toEqual(once);
      }),
    );
  });

  it('answers a hostile pattern at once', () => {
    const matches = createMatcher({ models: [`${'*a'.repeat(63)}b`] });
    expect(matches({ model: 'a'.repeat(256), provider: null, adapter: null })).toBe(false);
  });
});
