import { expect, test } from 'vitest';
import { findInverted } from '../../../scripts/testing/check-comments.ts';

test('a doc comment that begins with its subject passes', () => {
  expect(
    findInverted('/** Returns what is left of a budget. Nothing is thrown. */\nconst a = 1; // Whatever.\n'),
  ).toEqual([]);
});

test.each(['What', 'Who', 'Whose', 'Whether', 'Of'])('a doc comment that begins with %s is found', (word) => {
  expect(findInverted(`\n/** ${word} it is. */\n`)).toEqual([{ line: 2, sentence: `${word} it is.` }]);
});

test('a later sentence is found, also over lines, in a line comment and in Lua', () => {
  const text =
    '/' +
    '**\n * Reads a row. What\n * comes later waits.\n */\n  // Fine.\n  // Of these none.\n-- Who asks.\n';
  expect(findInverted(text).map(({ sentence }) => sentence)).toEqual([
    'What comes later waits.',
    'Of these none.',
    'Who asks.',
  ]);
});

test('a string that looks like a sentence is no comment', () => {
  expect(findInverted("const text = 'What is left. Of these none.';\n")).toEqual([]);
});
