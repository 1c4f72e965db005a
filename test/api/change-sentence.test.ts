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
  ['500.000000000', '1.000000000', 'the day before', 'Up $499.00 (>999 %) from the day before'],
  ['5.000000000', '0.000000000', 'the week before', '$5.00, and nothing in the week before'],
  ['5.000000000', '0.000000000', 'last month by this day', '$5.00, and nothing last month by this day'],
  ['5.000000000', '5.000000000', 'the day before', '$5.00, the same as in the day before'],
  ['0.000000000', '0.000000000', 'the day before', null],
])('the change from %s and %s', (cost, was, before, words) => {
  expect(changeOf(costs(cost, was), before)).toBe(words);
});

test.each([
  [8, 10, -2, { more: '$10.00 more', others: '$2.00 less' }],
  [-8, -10, 2, { more: '$10.00 less', others: '$2.00 more' }],
  // A share of four decimals, 1.0377, would make 1,037.70 of it.
  [1_000, 1_037.744, -37.744, { more: '$1,037.74 more', others: '$37.74 less' }],
])('of a difference of %d what explains %d says what the others did: %d', (all, own, other, words) => {
  const row = (key: string, difference: number) => ({ key, ...costs(difference.toFixed(9), '0.000000000') });
  const splits = [
    { by: 'session' as const, rows: [row('ses_1', own), row('ses_2', other)] },
    { by: 'model' as const, rows: [row('ses_1', all)] },
  ];
  const { difference_usd } = row('', all);
  expect(partOf({ difference_usd, splits }, { by: 'session', keys: ['ses_1'] })).toEqual(words);
});
