import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { route } from '../basics/route.ts';
import { readAskedUsage } from '../schemas/asked-usage.ts';
import { teamFilter } from '../schemas/session-query.ts';
import { ownGroupings, seriesView, usageQuery } from '../schemas/usage-query.ts';

export const getUsage = route({
  method: 'get',
  path: '/api/v1/usage',
  summary: 'Read aggregated usage and cost',
  description:
    'Sums of signals by the time at which they happened, always equal to the signals below. Exact in any timezone ' +
    "for the last 35 days, and for ever by whole days of the organization's own.",
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: usageQuery(ownGroupings, teamFilter),
  success: { status: 200, description: 'Totals, buckets and groups', body: seriesView, list: 'groups' },
  errors: ['plan_required'],
  handle: async ({ principal, query }, ctx) =>
    readAskedUsage(ctx, principal, await readOrganization(ctx, principal.orgId), query),
});
