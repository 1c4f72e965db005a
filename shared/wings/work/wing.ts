import { hashRows, withHashes } from '../../core/accounts/organizations/hash-rows.ts';
import { raiseOrganizationContexts } from '../../core/accounts/organizations/versions.ts';
import type { Wing } from '../../core/hooks/wing.ts';
import { WORK_ACTIONS } from './actions.ts';
import { attributeSignals, sayings } from './attribution/attribute-signals.ts';
import { findSessions } from './attribution/find-sessions.ts';
import {
  boundaryRows,
  contextRetention,
  contextRows,
  sessionWorkRows,
  workRows,
} from './attribution/model.ts';
import { findMadeCodeHosts } from './code-hosts/manage-code-hosts.ts';
import * as codeHostMetrics from './code-hosts/metrics.ts';
import { codeHostRows, codeHostSecrets } from './code-hosts/model.ts';
import { readContexts, viewContext } from './contexts/read-contexts.ts';
import { searchWork } from './costs/search-work.ts';
import { readMoveGauges } from './moves/gauges.ts';
import * as jobs from './moves/jobs.ts';
import * as moveMetrics from './moves/metrics.ts';
import { deletePair, findEmptied } from './moves/plan-moves.ts';
import { pullRequestRows } from './pull-requests/model.ts';
import { findWorks, readWorkNames } from './pull-requests/read-works.ts';

export const work: Wing = {
  name: 'work',
  collections: [contextRows, workRows, boundaryRows, sessionWorkRows, codeHostRows, pullRequestRows],
  jobs: Object.values(jobs),
  metrics: [...Object.values(codeHostMetrics), ...Object.values(moveMetrics)],
  retention: [contextRetention],
  actions: WORK_ACTIONS,
  secrets: [codeHostSecrets],
  gauges: { api: readMoveGauges },
  person: {
    made: { code_hosts: findMadeCodeHosts },
    erase: async (ctx, { orgId, userId }) => {
      await contextRows(ctx).deleteMany({ org_id: orgId, user_id: userId });
      return 0;
    },
    export: async function* (ctx, { org_id, user_id }) {
      for await (const context of contextRows(ctx).find({ org_id, user_id }))
        yield { kind: 'context', data: viewContext(context) };
    },
  },
  dimension: { find: findWorks, names: readWorkNames, sessions: findSessions, contexts: readContexts },
  search: searchWork,
  calls: {
    say: sayings,
    record: attributeSignals,
    voided: async (ctx, { session: { org_id }, signals }, transaction) => {
      const emptied = await findEmptied(ctx, org_id, { leaving: signals }, transaction);
      if (emptied.length === 0) return [];
      return [...raiseOrganizationContexts(org_id), ...emptied.map((pair) => deletePair(org_id, pair))];
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
