import type { Wing } from '../../core/hooks/wing.ts';
import { optional } from '../../platform/mongo/fields.ts';
import { PRICES_ACTIONS } from './actions.ts';
import { priceRuleRows } from './model.ts';
import { countApplied } from './repricing/count-applied.ts';
import { applyRepricingJob } from './repricing/jobs.ts';
import {
  repricingPartRetention,
  repricingPartRows,
  repricingRetention,
  repricingRows,
} from './repricing/model.ts';

export const prices: Wing = {
  name: 'prices',
  collections: [priceRuleRows, repricingRows, repricingPartRows],
  fields: { organizations: { repricings_begun: optional(Number) } },
  jobs: [applyRepricingJob],
  retention: [repricingRetention, repricingPartRetention],
  actions: PRICES_ACTIONS,
  prices: {
    rules: (ctx, orgId, transaction) =>
      priceRuleRows(ctx).find({ org_id: orgId }, { session: transaction, batchSize: 1_000 }).toArray(),
    repriced: countApplied,
  },
};
