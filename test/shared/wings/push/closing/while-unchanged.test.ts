import { expect, test } from 'vitest';
import { whileUnchanged } from '../../../../../shared/wings/push/closing/while-unchanged.ts';

test.each([
  ['is made once of a day that stays', ['a', 'a'], ['a']],
  ['is made again of a day that has changed meanwhile', ['a', 'b', 'b'], ['a', 'b']],
  ['is made again of a day that was empty', [null, 'b', 'b'], [null, 'b']],
  ['is made a third time', ['a', 'b', 'c', 'c'], ['a', 'b', 'c']],
])('a file %s', async (_, [first, ...later], made) => {
  const seen = (hash: string | null | undefined) => (hash ? { hash } : null);
  const of: (string | null)[] = [];
  const result = await whileUnchanged(
    seen(first),
    async (usage) => of.push(usage?.hash ?? null),
    async () => seen(later.shift()),
  );
  expect(of).toEqual(made);
  expect(result?.usage).toEqual(seen(made.at(-1)));
});

test('a day that changes each time is left for later', async () => {
  const made: string[] = [];
  const change = async () => ({ hash: `changed ${made.length} times` });
  expect(await whileUnchanged(await change(), async ({ hash }) => made.push(hash), change)).toBeNull();
  expect(made).toEqual(['changed 0 times', 'changed 1 times', 'changed 2 times']);
});
