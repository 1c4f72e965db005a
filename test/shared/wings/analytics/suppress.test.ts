import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blurredMedian } from '../../../../shared/wings/analytics/cell-sums.ts';
import { type Cell, suppressWeek } from '../../../../shared/wings/analytics/suppress.ts';

/** A cell of these costs, one user each. */
function cell(value: string, ...costs: number[]): Cell {
  const contributions = costs.map((cost, index) => ({
    user: `${value}-${index}`,
    isOther: false,
    signals: cost === 0 ? 0 : 10,
    tokens_in: 10,
    tokens_out: 10,
    cost_nusd: cost,
  }));
  return { value, contributions };
}
const even = (value: string, users: number, cost = 100) => cell(value, ...Array<number>(users).fill(cost));
/** The same cell with these beside its users, who are not counted. */
function beside({ value, contributions }: Cell, others: Cell): Cell {
  const pool = others.contributions.map((user) => ({ ...user, isOther: true }));
  return { value, contributions: [...contributions, ...pool] };
}
const hidden = (...cells: Cell[]) => [...suppressWeek(cells, 5).hidden].sort();

it('shows values of at least k users', () => {
  expect(hidden(even('a', 5), even('b', 8))).toEqual([]);
});

it('counts only users who were active', () => {
  expect(suppressWeek([cell('a', 9, 9, 9, 9, 0)], 5)).toEqual({
    hidden: new Set(['a']),
    isTotalHidden: true,
  });
});

it('hides what fewer than k share, and the smallest shown one with it', () => {
  expect(hidden(even('a', 4), even('b', 6), even('c', 9))).toEqual(['a', 'b']);
});

it('hides on until the hidden ones hold k users together', () => {
  const twice = (value: string): Cell => ({ ...even('x', 2), value });
  expect(hidden(twice('a'), twice('b'), even('c', 6), even('d', 9))).toEqual(['a', 'b', 'c']);
});

it('looks at each value a few times, also where one user is so large that all are hidden', () => {
  let looks = 0;
  const values = 400;
  const cells = Array.from({ length: values }, (_, index): Cell => {
    const { contributions } = index === 0 ? cell('giant', 1e12) : even(`v${index}`, 6);
    return {
      value: String(index),
      get contributions() {
        looks += 1;
        return contributions;
      },
    };
  });
  expect(suppressWeek(cells, 5).hidden.size).toBe(values);
  expect(looks).toBeLessThan(100 * values);
});

it('hides a value that one user dominates: what is left without the two largest is < 10 % of the largest', () => {
  expect(hidden(cell('a', 1_000, 500, 33, 33, 33), even('b', 6, 500), even('c', 9, 900))).toEqual(['a', 'b']);
  expect(hidden(cell('a', 1_000, 500, 34, 33, 33), even('b', 6, 500))).toEqual([]);
});

it('holds the p % rule without the users who are not counted too: one person may have invented them', () => {
  const mixed = beside(cell('a', 1_000, 500, 10, 10, 10), cell('b', 2_000));
  expect(hidden(mixed, even('c', 9, 900))).toEqual(['a', 'c']);
});

it('takes all users who are not counted for one person: the largest', () => {
  expect(hidden(beside(even('a', 5), even('b', 10, 1_000)), even('c', 9, 900))).toEqual(['a', 'c']);
});

it('counts pooled users neither towards k nor towards what hides the largest user', () => {
  const isHidden = (one: Cell) => suppressWeek([one], 5).isTotalHidden;
  expect(isHidden(beside(even('a', 4), even('b', 9)))).toBe(true);
  expect(isHidden(beside(even('a', 5), even('b', 9)))).toBe(false);
  // Without the pool the other members are less than a tenth of the largest.
  expect(isHidden(beside(cell('a', 1_000, 1, 1, 1, 1), cell('b', 200)))).toBe(true);
});

it('does not let the shown values sum to a total that is hidden', () => {
  expect(hidden(cell('a', 3_000, 1_500, 100, 100, 100, 100))).toEqual([]);
  const suppression = suppressWeek([cell('a', 10_000, 1, 1, 1, 1, 1), even('b', 6, 1)], 5);
  expect(suppression.isTotalHidden).toBe(true);
  expect(suppression.hidden.size).toBeGreaterThan(0);
});

it('hides no total of values that are all shown, and none of them alone, whatever they are', () => {
  const users = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const contributions = fc.array(
    fc.record({
      user: fc.constantFrom(...users),
      isOther: fc.boolean(),
      signals: fc.integer({ min: 0, max: 3 }),
      tokens_in: fc.integer({ min: 0, max: 1_000 }),
      tokens_out: fc.constant(10),
      cost_nusd: fc.integer({ min: 0, max: 1_000 }),
    }),
    { maxLength: 12 },
  );
  const cells = fc.array(contributions, { maxLength: 5 }).map((all) =>
    all.map((each, index) => {
      const byUser = new Map(each.map((one) => [one.isOther ? `pool-${one.user}` : one.user, one]));
      return { value: `v${index}`, contributions: [...byUser.values()] };
    }),
  );
  fc.assert(
    fc.property(cells, (week) => {
      const suppression = suppressWeek(week, 3);
      if (week.length > 0 && suppression.hidden.size === 0) expect(suppression.isTotalHidden).toBe(false);
      const isAlone = suppression.hidden.size === 1 && week.length > 1;
      expect(isAlone).toBe(false);
    }),
    { numRuns: 3_000, seed: 20_261_122 },
  );
});

it('has nothing to hide in a week without activity but the total', () => {
  expect(suppressWeek([], 5)).toEqual({ hidden: new Set(), isTotalHidden: true });
});

it('tells a median that is the mean of the two or three in the middle, with two significant digits', () => {
  expect(blurredMedian([1e9, 2e9, 3e9, 4e9])).toBe(2.5);
  expect(blurredMedian([5e9, 1e9, 2e9, 3e9, 100e9])).toBe(3.3);
  expect(blurredMedian([1_234_567_890, 1_234_567_890])).toBe(1.2);
});
