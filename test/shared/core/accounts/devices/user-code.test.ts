import { expect, test } from 'vitest';
import {
  newUserCode,
  parseUserCode,
  showUserCode,
} from '../../../../../shared/core/accounts/devices/user-code.ts';

test('a code is read as it is shown, whatever people make of it', () => {
  for (let count = 0; count < 100; count += 1) {
    const code = newUserCode();
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
    const shown = showUserCode(code);
    for (const typed of [
      shown,
      shown.toLowerCase(),
      ` ${shown} `,
      shown.replace('-', ' '),
      shown.replace('-', '–'),
      code,
    ])
      expect(parseUserCode(typed)).toBe(code);
  }
});

test.each(['', 'BCDF', 'BCDF-GHJKL', 'BCDF-GHJA', 'BCDF-GHJ1', 'ＢＣＤＦ-GHJK', '{"$ne":1}'])(
  '%s is no code',
  (typed) => {
    expect(parseUserCode(typed)).toBeNull();
  },
);
