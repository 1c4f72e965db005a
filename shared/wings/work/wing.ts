import { hashRows, withHashes } from '../../core/accounts/organizations/hash-rows.ts';
import { viewContext } from '../../core/calls/sessions/read-attribution.ts';
import type { Wing } from '../../core/hooks/wing.ts';
import { contextRows, workRows } from './attribution/model.ts';
import { pullRequestRows } from './pull-requests/model.ts';

export const work: Wing = {
  name: 'work',
  person: {
    erase: async (ctx, { orgId, userId }) => {
      await contextRows(ctx).deleteMany({ org_id: orgId, user_id: userId });
      return 0;
    },
    export: async function* (ctx, { org_id, user_id }) {
      for await (const context of contextRows(ctx).find({ org_id, user_id }))
        yield { kind: 'context', data: viewContext(context) };
    },
  },
  organization: {
    hashNames: async (ctx, orgId) => {
      await hashRows(ctx, orgId, workRows);
      await hashRows(ctx, orgId, contextRows);
      await hashRows(ctx, orgId, pullRequestRows, (row) => ({ ...withHashes(row), title: null }));
    },
  },
};
