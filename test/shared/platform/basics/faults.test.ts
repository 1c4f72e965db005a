import { expect, it } from 'vitest';
import { z } from 'zod';
import { faultsOf, IN_PLAIN_WORDS } from '../../../../shared/platform/basics/faults.ts';

const schema = z.strictObject({
  name: z.string().min(2).max(3),
  size: z.int().min(1).max(9),
  price: z.number().gt(0).lt(5),
  kind: z.enum(['small', 'large']),
  version: z.literal(1),
  tags: z.array(z.string()).min(1).max(2),
  on: z.boolean(),
  more: z.strictObject({ at: z.url() }),
});
const good = {
  name: 'ab',
  size: 3,
  price: 1,
  kind: 'small',
  version: 1,
  tags: ['x'],
  on: true,
  more: { at: 'https://example.org' },
};

it.each([
  ['name', undefined, 'is missing'],
  ['name', null, 'must be text'],
  ['name', 'a', 'must have at least 2 characters'],
  ['name', 'abcd', 'must have at most 3 characters'],
  ['size', '3', 'must be a number'],
  ['size', 1.5, 'must be a whole number'],
  ['size', 0, 'must be at least 1'],
  ['size', 10, 'must be at most 9'],
  ['price', 0, 'must be more than 0'],
  ['price', 5, 'must be less than 5'],
  ['kind', 'huge', 'must be one of small, large'],
  ['kind', undefined, 'is missing'],
  ['version', 2, 'must be 1'],
  ['tags', 'x', 'must be a list'],
  ['tags', [], 'must have at least 1 entry'],
  ['tags', ['x', 'y', 'z'], 'must have at most 2 entries'],
  ['on', 'yes', 'must be true or false'],
  ['more', 5, 'must be an object'],
])('says of the field %s with the value %j that it %s', (name, value, detail) => {
  expect(faultsIn({ ...good, [name]: value })).toEqual([{ path: [name], detail }]);
});

it('names an unknown member, also one further down, and a text of the wrong format', () => {
  expect(faultsIn({ ...good, promt: 1, more: { at: 'nowhere', to: 2 } })).toEqual([
    { path: ['more', 'at'], detail: 'must be a URL' },
    { path: ['more', 'to'], detail: 'is not known here' },
    { path: ['promt'], detail: 'is not known here' },
  ]);
});

it('names no more faults than it was asked for', () => {
  const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, index]));
  expect(faultsIn({ ...good, ...unknown })).toHaveLength(5);
});

function faultsIn(value: unknown) {
  const { error } = schema.safeParse(value, IN_PLAIN_WORDS);
  return error ? faultsOf(error, 5) : [];
}
