import { expect, test } from 'vitest';
import { findInverted } from '../../../scripts/testing/check-comments.ts';

test.each([
  [
    'a doc comment that begins with its subject',
    '/** Returns what is left. Nothing is thrown. */\nconst a = 1; // Whatever.\n',
  ],
  ['a string that looks like a sentence', "const text = 'What is left. Of these none.';\n"],
])('%s passes', (_, text) => {
  expect(findInverted(text)).toEqual([]);
});

test.each(['What', 'Who', 'Whose', 'Whether', 'Of'])('a doc comment that begins with %s is found', (word) => {
  expect(findInverted(`\n/** ${word} it is. */\n`)).toEqual([{ line: 2, sentence: `${word} it is.` }]);
});

test('a later sentence is found, also over lines, in a line comment and in Lua', () => {
  const doc = ['/' + '**', ' * Reads a row. What', ' * comes later waits.', ' */'];
  const text = [...doc, '  // Fine.', '  // Of these none.', '-- Who asks.'].join('\n');
  const found = findInverted(`${text}\n`).map(({ sentence }) => sentence);
  expect(found).toEqual(['What comes later waits.', 'Of these none.', 'Who asks.']);
});
