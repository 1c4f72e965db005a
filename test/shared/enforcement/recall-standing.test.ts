import { expect, test } from 'vitest';
import { isReservedKnown } from '../../../shared/enforcement/recall-standing.ts';
import type { Standing } from '../../../shared/enforcement/standing.ts';

test('what reservations hold is known when it was read late enough', () => {
  const value = { reserved: { readMs: 5_000 } } as Standing;
  expect(isReservedKnown({ value, oldestMs: 5_000 })).toBe(true);
  expect(isReservedKnown({ value, oldestMs: 5_001 })).toBe(false);
  expect(isReservedKnown({ value: { ...value, reserved: null }, oldestMs: 0 })).toBe(false);
});
