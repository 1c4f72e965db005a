import { expect, test } from 'vitest';
import { addressesOf } from '../../../packages/dashboard/parts/people/addresses.ts';

test.each([
  ['a name with a comma', 'Lovelace, Ada <ada@x.org>', ['ada@x.org']],
  ['a quoted name with commas', '"Lovelace, Ada, Countess" <ada@x.org>', ['ada@x.org']],
  [
    'many such names',
    'L, Ada <a@x.org>; Babbage Jr., C. <c@x.org>, "H, G." <g@x.org>',
    ['a@x.org', 'c@x.org', 'g@x.org'],
  ],
  ['an address before a name', 'tom@x.org, Ada <ada@x.org>', ['tom@x.org', 'ada@x.org']],
  ['an address without its @', 'tom.x.org, Ada <ada@x.org>', ['tom.x.org', 'ada@x.org']],
  ['a line without an address', 'Tom\nAda <ada@x.org>', ['Tom', 'ada@x.org']],
  ['plain addresses', 'a@x.org, b@x.org c@x.org', ['a@x.org', 'b@x.org', 'c@x.org']],
])('pasted addresses are found in %s', (_, pasted, addresses) => {
  expect(addressesOf(pasted)).toEqual(addresses);
});
