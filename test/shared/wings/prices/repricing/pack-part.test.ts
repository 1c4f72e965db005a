import { expect, it } from 'vitest';
import {
  packPart,
  type RepricedSignal,
  unpackPart,
} from '../../../../../shared/wings/prices/repricing/pack-part.ts';

/** Prices before: by no rule, by each of two, and those that are known otherwise. */
const BEFORE: readonly RepricedSignal['before'][] = [
  { cost_nusd: null, source: 'unknown', rule: null },
  { cost_nusd: 0, source: 'computed', rule: null },
  { cost_nusd: 7, source: 'reported', rule: null },
  { cost_nusd: 5, source: 'rule', rule: 'prl_1' },
  { cost_nusd: 6, source: 'rule', rule: 'prl_2' },
];
const first = { id: 'prl_1', name: 'Our own GPUs' };
/** Prices after: none, by the rules that were before, one of them under two names, and with what a rule replaced. */
const AFTER: readonly RepricedSignal['after'][] = [
  null,
  { cost_nusd: null, cost_source: 'unknown' },
  { cost_nusd: 0, cost_source: 'computed' },
  { cost_nusd: 8, cost_source: 'rule', price_rule: first },
  { cost_nusd: 8, cost_source: 'rule', price_rule: { ...first, name: 'Renamed' } },
  {
    cost_nusd: 9,
    cost_source: 'rule',
    price_rule: { id: 'prl_2', name: 'Discount' },
    reported_nusd: 0,
    list_nusd: 4,
  },
];
const all = BEFORE.flatMap((before) => AFTER.map((after) => ({ before, after })));

it.each([
  ['one way', all],
  ['the other way', all.toReversed()],
])('a part gives every price back as it was packed, with the name of its rule, in order %s', (_, pairs) => {
  const signals = pairs.map((pair, at) => ({ id: `sig_${at}`, ...pair }));
  expect(unpackPart(packPart(signals))).toEqual(signals);
});
