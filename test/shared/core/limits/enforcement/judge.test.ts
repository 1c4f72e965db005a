import { describe, expect, test } from 'vitest';
import type { Budget } from '../../../../../shared/core/limits/budgets/rules/model.ts';
import { NEVER_MS } from '../../../../../shared/core/limits/budgets/rules/windows.ts';
import { type Cause, judge, verdictOf } from '../../../../../shared/core/limits/enforcement/check/judge.ts';
import type { OpenBudget } from '../../../../../shared/core/limits/enforcement/state/budget-status.ts';

const ALL_KNOWN = { isUsageFresh: true, areReservationsFresh: true, unpricedModel: null };

/** A hard budget of 10 nano-USD, or of 10 of another metric. */
function open({
  current = 0,
  reserved = 0,
  endMs = 1_000,
  ...fields
}: Partial<Budget> & { current?: number; reserved?: number; endMs?: number }): OpenBudget {
  const budget = {
    metric: 'cost_usd',
    limit: 10,
    enforce: 'hard',
    on_error: 'allow',
    ...fields,
  } as Budget;
  return { budget, interval: { startMs: 0, endMs }, current, reserved };
}

describe('the cause of a refusal', () => {
  const DENY = { on_error: 'deny' } as const;
  const NO_USAGE = { ...ALL_KNOWN, isUsageFresh: false };
  const NO_RESERVATIONS = { ...ALL_KNOWN, areReservationsFresh: false };

  test.each<[string, OpenBudget, number | null, typeof ALL_KNOWN, Cause | null]>([
    ['usage has reached it', open({ current: 10 }), null, ALL_KNOWN, 'spent'],
    ['usage has not', open({ current: 9 }), null, ALL_KNOWN, null],
    ['the estimate fits', open({ current: 4, reserved: 3 }), 3, ALL_KNOWN, null],
    ['the estimate fits but for reservations', open({ current: 4, reserved: 3 }), 4, ALL_KNOWN, 'held'],
    ['the estimate passes it with usage alone', open({ current: 4, reserved: 3 }), 7, ALL_KNOWN, 'spent'],
    ['it counts no cost', open({ metric: 'signals', current: 9, reserved: 3 }), 100, ALL_KNOWN, null],
    ['it counts no cost and is used up', open({ metric: 'signals', current: 10 }), 0, ALL_KNOWN, 'spent'],
    ['it is soft', open({ enforce: 'soft', current: 11 }), 1, ALL_KNOWN, null],
    ['usage is old, it allows', open({ current: 11 }), 1, NO_USAGE, null],
    ['usage is old, it denies', open(DENY), null, NO_USAGE, 'unreadable'],
    ['reservations are old, it allows', open({ reserved: 10 }), 1, NO_RESERVATIONS, null],
    ['reservations are old, it denies', open(DENY), 1, NO_RESERVATIONS, 'unreadable'],
    ['reservations are old, usage is enough', open({ current: 10 }), 1, NO_RESERVATIONS, 'spent'],
    ['nothing is reserved in it', open({ ...DENY, metric: 'tokens' }), 1, NO_RESERVATIONS, null],
    ['a soft one denies nothing', open({ ...DENY, enforce: 'soft' }), 1, NO_USAGE, null],
  ])('%s', (_case, budget, estimate, known, cause) => {
    expect(judge([budget], estimate, known).budgets).toEqual([{ ...budget, cause }]);
  });
});

describe('a call whose model has no price', () => {
  const refuse = { unpriced: 'refuse' } as const;
  const UNPRICED = { ...ALL_KNOWN, unpricedModel: 'own' };

  test.each<[string, OpenBudget, number | null, Cause | null]>([
    ['is refused', open(refuse), null, 'unpriced'],
    ['is refused with an estimate that fits', open(refuse), 1, 'unpriced'],
    ['is refused as free', open(refuse), 0, 'unpriced'],
    ['is refused rather for its price than as spent', open({ ...refuse, current: 10 }), 1, 'unpriced'],
    ['passes where the budget allows it', open({}), 1, null],
    ['passes a budget that is soft by now', open({ ...refuse, enforce: 'soft' }), 1, null],
    ['passes a budget that counts no cost', open({ ...refuse, metric: 'tokens' }), 1, null],
  ])('%s', (_case, budget, estimate, cause) => {
    const [judged] = judge([budget], estimate, UNPRICED).budgets;
    expect(judged).toEqual({ ...budget, cause, ...(cause ? { model: 'own' } : {}) });
  });

  test('is refused also while amounts cannot be read', () => {
    const blind = { ...UNPRICED, isUsageFresh: false };
    expect(judge([open(refuse)], 1, blind).refusedBy?.cause).toBe('unpriced');
  });
});

describe('of several budgets that refuse', () => {
  type Judged = OpenBudget & { cause: Cause | null };
  const names = (...budgets: Judged[]) => verdictOf(budgets).refusedBy?.budget.name;
  const spent = (fields: Parameters<typeof open>[0]) => ({ ...open(fields), cause: 'spent' as const });

  const lacking = { ...open({ name: 'price' }), cause: 'unpriced' as const };
  const month = spent({ name: 'month', endMs: 2_000 });
  const small = spent({ name: 'small', current: 7 });
  const large = spent({ name: 'large', limit: 100, current: 95 });
  test.each<[string, string, Judged, Judged]>([
    ['the one whose window ends last', 'month', spent({ name: 'hour', current: 10 }), month],
    ['also one that never ends', 'total', month, spent({ name: 'total', endMs: NEVER_MS })],
    ['one that lacks a price before all, since no window brings it', 'price', lacking, month],
    ['then the one with the smallest part of its threshold left', 'large', small, large],
    ['in either order', 'large', large, small],
    ['then the oldest', 'first', spent({ name: 'first' }), spent({ name: 'second' })],
  ])('%s is named: %s', (_, name, ...budgets) => {
    expect(names(...budgets)).toBe(name);
  });

  test('one that allows is never named, and without one that refuses nobody is', () => {
    const allows = { ...open({ name: 'allows', endMs: 9_000 }), cause: null };
    expect(names(allows, spent({ name: 'refuses' }))).toBe('refuses');
    expect(verdictOf([allows])).toEqual({ budgets: [allows], refusedBy: null });
  });
});
