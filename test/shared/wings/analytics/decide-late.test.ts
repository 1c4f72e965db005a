import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideLate } from '../../../../shared/wings/analytics/decide-late.ts';
import type { UserCell, WeekCells } from '../../../../shared/wings/analytics/model.ts';

const K = 5;

/** A week of one value; the users of these costs in order. */
function week(costs: readonly number[]): WeekCells {
  const users = costs.map((cost_nusd, index): UserCell => {
    const measures = { signals: cost_nusd, tokens_in: 0, tokens_out: 0, cost_nusd };
    return { user: `u${index}`, isOther: false, sessions: 1, errors: 0, ...measures };
  });
  return new Map([['all', users]]);
}

const before = week(Array.from({ length: 12 }, () => 100));

/** The decision about these late costs of a week that shows all, and of which none was refused, but for these fields. */
function judged(late: readonly number[], frozen: object = {}): string {
  const now = week(Array.from({ length: 12 }, (_, index) => 100 + (late[index] ?? 0)));
  const shown = { hidden: [], is_total_hidden: false, judged_users: 0, ...frozen };
  return decideLate(shown, { before, now }, K).outcome;
}
const even = (users: number) => Array.from({ length: users }, () => 10);

it('a late part is not looked at before it holds k users', () => {
  expect([1, 4, 5].map((users) => judged(even(users)))).toEqual(['wait', 'wait', 'restate']);
});

it('one that was refused is looked at again when it holds k users more', () => {
  expect(judged([10_000, 1, 1, 1, 1])).toBe('refuse');
  const again = (users: number) => judged(even(users), { judged_users: 5 });
  expect([5, 9, 10].map(again)).toEqual(['wait', 'wait', 'restate']);
});

it('one of a week that shows nothing must be safe by itself, but not each of its values', () => {
  const silent = { hidden: ['all'], is_total_hidden: true };
  expect([judged([10_000, 1, 1, 1, 1], silent), judged(even(5), silent)]).toEqual(['refuse', 'restate']);
});

it('where any value was shown, each that a late part touches must be safe', () => {
  const users = (costs: readonly number[]) => week(costs).get('all') ?? [];
  const values = (a: readonly number[], b: readonly number[]): WeekCells =>
    new Map([
      ['a', users(a)],
      ['b', users(b)],
    ]);
  const hundreds = Array.from({ length: 12 }, () => 100);
  const late = values(
    [110, ...hundreds.slice(1)],
    [...even(6).map((more) => 100 + more), ...hundreds.slice(6)],
  );
  const outcome = (hidden: string[]) =>
    decideLate(
      { hidden, is_total_hidden: true, judged_users: 0 },
      { before: values(hundreds, hundreds), now: late },
      K,
    ).outcome;
  expect([outcome(['b']), outcome(['a', 'b'])]).toEqual(['refuse', 'restate']);
});

it('a void alone is never looked at, whether of one user, of k or of all', () => {
  const gone = (users: number) => Array.from({ length: users }, () => -10);
  expect([judged(gone(1)), judged(gone(5)), judged(gone(12))]).toEqual(['wait', 'wait', 'wait']);
});

it('one beside which a large part was voided is refused', () => {
  expect(judged([...even(5), -10_000])).toBe('refuse');
  expect(judged([...even(5), -1])).toBe('restate');
});

it('a user whose signals were voided does not count towards k', () => {
  expect(judged([...even(4), -1])).toBe('wait');
});

it('whatever is voided and late together, a restatement reveals no part of it to within 10 %', () => {
  const parts = fc.array(fc.integer({ min: -100, max: 120 }), { minLength: 5, maxLength: 12 });
  let restated = 0;
  fc.assert(
    fc.property(parts, (late) => {
      if (judged(late) !== 'restate') return;
      restated += 1;
      const [largest = 0, _second, ...rest] = late.map(Math.abs).toSorted((a, b) => b - a);
      expect(rest.reduce((sum, amount) => sum + amount, 0) * 10).toBeGreaterThanOrEqual(largest);
    }),
    { numRuns: 2_000 },
  );
  expect(restated).toBeGreaterThan(100);
});
