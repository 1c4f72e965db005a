import type { Wing } from '../../core/hooks/wing.ts';
import { NO_PLAN } from '../../platform/context/commit-plan.ts';
import { planMove } from '../../platform/due/move-due.ts';
import { deletePreferences, endDigests, readPreferences } from './preferences/change-preferences.ts';
import * as jobs from './preferences/jobs.ts';
import { preferencesRows } from './preferences/model.ts';
import { viewPreferences } from './preferences/view.ts';

export const digests: Wing = {
  name: 'digests',
  collections: [preferencesRows],
  jobs: Object.values(jobs),
  person: {
    remove: async (_ctx, { _id }) => ({ writes: deletePreferences(_id) }),
    endMails: endDigests,
    export: async function* (ctx, { _id, org_id }) {
      const preferences = await readPreferences(ctx, { accountId: _id, orgId: org_id });
      yield { kind: 'preferences', data: viewPreferences(preferences, ctx.clock.now()) };
    },
  },
  organization: {
    change: (ctx, orgId, { timezone }) =>
      timezone === undefined ? NO_PLAN : planMove(jobs.moveDigestsJob, orgId, ctx.clock.now()),
  },
};
