import type { Wing } from '../../core/hooks/wing.ts';
import { optional } from '../../platform/mongo/fields.ts';
import { RAISES_ACTIONS } from './actions.ts';
import { budgetPart } from './budget-part.ts';
import { eraseRaiseNotes, planRaisesOfRemoved } from './end-of-removed.ts';
import { exportRaises } from './export-raises.ts';
import * as jobs from './jobs.ts';
import * as metrics from './metrics.ts';
import { raiseRetention, raiseRows } from './model.ts';

export const raises: Wing = {
  name: 'raises',
  collections: [raiseRows],
  fields: { organizations: { raise_changes: optional(Number) } },
  jobs: Object.values(jobs),
  metrics: Object.values(metrics),
  retention: [raiseRetention],
  actions: RAISES_ACTIONS,
  budget: budgetPart,
  person: {
    remove: async (ctx, { org_id, user_id }, transaction) => {
      const { result, ...plan } = await planRaisesOfRemoved(
        ctx,
        { orgId: org_id, userId: user_id },
        transaction,
      );
      const committed = () => {
        for (const { state } of result) metrics.raisesChanged(ctx).inc({ status: state });
      };
      return { ...plan, committed };
    },
    erase: eraseRaiseNotes,
    export: exportRaises,
  },
};
