import type { Wing } from '../../core/hooks/wing.ts';
import { eraseRaiseNotes, planRaisesOfRemoved } from './end-of-removed.ts';
import { exportRaises } from './export-raises.ts';
import { raisesChanged } from './metrics.ts';

export const raises: Wing = {
  name: 'raises',
  person: {
    remove: async (ctx, { org_id, user_id }, transaction) => {
      const { result, ...plan } = await planRaisesOfRemoved(
        ctx,
        { orgId: org_id, userId: user_id },
        transaction,
      );
      const committed = () => {
        for (const { state } of result) raisesChanged(ctx).inc({ status: state });
      };
      return { ...plan, committed };
    },
    erase: eraseRaiseNotes,
    export: exportRaises,
  },
};
