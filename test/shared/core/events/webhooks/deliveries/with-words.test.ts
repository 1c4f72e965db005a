import { expect, test } from 'vitest';
import { areTold } from '../../../../../../shared/core/events/webhooks/deliveries/with-words.ts';

test.each([
  ['none of them', [false, false], false],
  ['the first of them', [true, false], true],
  ['the last of them', [false, true], true],
])('events are told where an owner is mailed about %s', (_which, kept, isTold) => {
  const events = kept.map((is_kept) => ({ type: 'budget.exceeded' as const, is_kept }));
  expect(areTold(events, [])).toBe(isTold);
});
