import { expect, it } from 'vitest';
import { median } from '../../../shared/analytics/median.ts';
import { type Atom, suppressWeek } from '../../../shared/analytics/suppress.ts';

/** An atom of these costs, a user each. */
function atom(value: string, ...costs: number[]): Atom {
  return {
    value,
    contributions: costs.map((cost, index) => ({
      user: `${value}-${index}`,
      signals: cost === 0 ? 0 : 10,
      tokens_in: 10,
      tokens_out: 10,
      cost_nusd: cost,
    })),
  };
}
const even = (value: string, users: number, cost = 100) =>
  atom(value, ...Array.from({ length: users }, () => cost));
const hidden = (...atoms: Atom[]) => [...suppressWeek(atoms, 5).hidden].sort();

it('shows values of at least k users', () => {
  expect(hidden(even('a', 5), even('b', 8))).toEqual([]);
});

it('counts only users who were active', () => {
  expect(suppressWeek([atom('a', 9, 9, 9, 9, 0)], 5)).toEqual({ hidden: new Set(['a']), totalHidden: true });
});

it('hides what fewer than k share, and the smallest shown one with it', () => {
  expect(hidden(even('a', 4), even('b', 6), even('c', 9))).toEqual(['a', 'b']);
});

it('hides on until the hidden ones hold k users together', () => {
  const twice = (value: string): Atom => ({ ...even('x', 2), value });
  expect(hidden(twice('a'), twice('b'), even('c', 6), even('d', 9))).toEqual(['a', 'b', 'c']);
});

it('hides a value that one user dominates: what is left without the two largest is < 10 % of the largest', () => {
  expect(hidden(atom('a', 1_000, 500, 33, 33, 33), even('b', 6, 500), even('c', 9, 900))).toEqual(['a', 'b']);
  expect(hidden(atom('a', 1_000, 500, 34, 33, 33), even('b', 6, 500))).toEqual([]);
});

it('does not let the shown values sum to a total that is hidden', () => {
  const giant = (value: string, own: number): Atom => ({
    value,
    contributions: [
      { user: 'giant', signals: 1, tokens_in: 1, tokens_out: 1, cost_nusd: own },
      { user: 'second', signals: 1, tokens_in: 1, tokens_out: 1, cost_nusd: own / 2 },
      ...['p', 'q', 'r', 's'].map((user) => ({
        user,
        signals: 1,
        tokens_in: 1,
        tokens_out: 1,
        cost_nusd: own / 30,
      })),
    ],
  });
  expect(hidden(giant('a', 3_000))).toEqual([]);
  const verdict = suppressWeek([atom('a', 10_000, 1, 1, 1, 1, 1), even('b', 6, 1)], 5);
  expect(verdict.totalHidden).toBe(true);
  expect(verdict.hidden.size).toBeGreaterThan(0);
});

it('has nothing to hide in a week without activity but the total', () => {
  expect(suppressWeek([], 5)).toEqual({ hidden: new Set(), totalHidden: true });
});

it('tells a median that is the mean of the two or three in the middle, with two significant digits', () => {
  expect(median([1e9, 2e9, 3e9, 4e9])).toBe(2.5);
  expect(median([5e9, 1e9, 2e9, 3e9, 100e9])).toBe(3.3);
  expect(median([1_234_567_890, 1_234_567_890])).toBe(1.2);
});
