import type { Wing } from '../../core/hooks/wing.ts';
import { ANOMALIES_ACTIONS } from './actions.ts';
import * as jobs from './jobs.ts';
import { viewAnomaly } from './list-anomalies.ts';
import { anomalyRows, expectationRows } from './model.ts';
import { planChecks, planCorrections } from './plan-checks.ts';

export const anomalies: Wing = {
  name: 'anomalies',
  collections: [anomalyRows, expectationRows],
  actions: ANOMALIES_ACTIONS,
  jobs: Object.values(jobs),
  person: {
    export: async function* (ctx, { org_id, user_id }) {
      for await (const anomaly of anomalyRows(ctx).find({ org_id, user_id }))
        yield { kind: 'anomaly', data: viewAnomaly(anomaly, { userId: user_id }) };
    },
  },
  calls: {
    changed: planChecks,
    voided: (ctx, { session }, transaction) => planCorrections(ctx, session, transaction),
  },
};
