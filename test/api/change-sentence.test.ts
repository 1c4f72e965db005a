import { expect, test } from 'vitest';
import { changeOf, partOf } from '../../packages/dashboard/pages/overview/change-sentence.ts';

const costs = (cost_usd: string, before_cost_usd: string) => ({
  cost_usd,
  before_cost_usd,
  difference_usd: (Number(cost_usd) - Number(before_cost_usd)).toFixed(9),
});

test.each([
  ['79.840000000', '47.480000000', 'the 7 days before', 'Up $32.36 (+68 %) from the 7 days before'],
  [
    '10.000000000',
    '20.500000000',
    'yesterday by this time',
    'Down $10.50 (−51 %) from yesterday by this time',
  ],
  ['500.000000000', '1.000000000', 'the day before', 'Up $499.00 (+>999 %) from the day before'],
  ['5.000000000', '0.000000000', 'the week before', '$5.00, and nothing in the week before'],
  ['5.000000000', '0.000000000', 'last month by this day', '$5.00, and nothing last month by this day'],
  ['5.000000000', '5.000000000', 'the day before', '$5.00, the same as in the day before'],
  ['0.000000000', '0.000000000', 'the day before', null],
])('the change from %s and %s', (cost, was, before, words) => {
  expect(changeOf(costs(cost, was), before)).toBe(words);
});

test('what explains more than all of a difference says what the others did', () => {
  const explained = { by: 'session' as const, keys: ['ses_1'], share: 1.25 };
  expect(partOf({ difference_usd: '8.000000000' }, explained)).toEqual({
    more: '$10.00 more',
    others: '$2.00 less',
  });
  expect(partOf({ difference_usd: '-8.000000000' }, explained)).toEqual({
    more: '$10.00 less',
    others: '$2.00 more',
  });
});
