import type { Wing } from '../../core/hooks/wing.ts';
import { PRICES_ACTIONS } from './actions.ts';
import { priceRuleRows } from './model.ts';

export const prices: Wing = {
  name: 'prices',
  collections: [priceRuleRows],
  actions: PRICES_ACTIONS,
  prices: {
    rules: (ctx, orgId, transaction) =>
      priceRuleRows(ctx).find({ org_id: orgId }, { session: transaction, batchSize: 1_000 }).toArray(),
  },
};
