import { expect, it } from 'vitest';
import type { ChargeRow } from '../../../../../shared/wings/exports/focus/sum-charges.ts';
import { packRows, unpackRows } from '../../../../../shared/wings/push/closing/pack-rows.ts';

const ROW: ChargeRow = {
  user_id: 'ada',
  project_id: 'shop',
  adapter: 'own',
  seller: 'anthropic',
  model: 'claude-opus-4-8',
  source: 'rule',
  meter: 'recorded',
  skuId: 'anthropic/claude-opus-4-8',
  skuPriceId: 'anthropic/claude-opus-4-8/recorded/rule/prl_1',
  contextWindow: null,
  unitPrice: 1_000_000_000n,
  calls: 2,
  consumed: 46_000,
  costNusd: 425_000_000n,
  listNusd: 850_000_000n,
};

it('rows of a closed month keep the list’s cost, which most have no room for: it is their cost', () => {
  const same = { ...ROW, source: 'computed' as const, listNusd: ROW.costNusd };
  expect(unpackRows(packRows([ROW, same]))).toEqual([ROW, same]);
  expect(packRows([same])).not.toContain('850000000');
  expect(packRows([same]).match(/425000000/g)).toHaveLength(1);
});
