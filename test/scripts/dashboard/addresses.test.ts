import { expect, test } from 'vitest';
import { addressesOf } from '../../../packages/dashboard/parts/people/addresses.ts';

test.each([
  ['a name with a comma', 'Lovelace, Ada <ada@example.com>', ['ada@example.com']],
  ['a quoted name with commas', '"Lovelace, Ada, Countess" <ada@example.com>', ['ada@example.com']],
  [
    'many such names',
    'Lovelace, Ada <ada@example.com>; Babbage Jr., Charles <cb@example.com>, "Hopper, G." <g@example.com>',
    ['ada@example.com', 'cb@example.com', 'g@example.com'],
  ],
  [
    'an address before a name',
    'tom@example.com, Ada <ada@example.com>',
    ['tom@example.com', 'ada@example.com'],
  ],
  [
    'an address without its @',
    'tom.example.com, Ada <ada@example.com>',
    ['tom.example.com', 'ada@example.com'],
  ],
  ['a line without an address', 'Tom\nAda <ada@example.com>', ['Tom', 'ada@example.com']],
  [
    'plain addresses',
    'a@example.com, b@example.com c@example.com',
    ['a@example.com', 'b@example.com', 'c@example.com'],
  ],
])('pasted addresses are found in %s', (_, pasted, addresses) => {
  expect(addressesOf(pasted)).toEqual(addresses);
});
