import { expect, test } from 'vitest';
import type { BudgetStatus } from '../../../../../shared/core/limits/enforcement/state/budget-status.ts';
import { isReservedKnown } from '../../../../../shared/core/limits/enforcement/state/cached-status.ts';

test('what reservations hold is known when it was read late enough', () => {
  const value = { reserved: { readMs: 5_000 } } as BudgetStatus;
  expect(isReservedKnown({ value, oldestMs: 5_000 })).toBe(true);
  expect(isReservedKnown({ value, oldestMs: 5_001 })).toBe(false);
  expect(isReservedKnown({ value: { ...value, reserved: null }, oldestMs: 0 })).toBe(false);
});
