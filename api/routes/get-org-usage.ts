import { GROUPINGS } from '../../shared/core/calls/usage/group-usage.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { ownOrganization, requirePaidPlan } from '../auth/own-organization.ts';
import { route } from '../basics/route.ts';
import { readAskedUsage } from '../schemas/asked-usage.ts';
import { orgParams } from '../schemas/params.ts';
import { seriesView, usageQuery } from '../schemas/usage-query.ts';

export const getOrgUsage = route({
  method: 'get',
  path: '/api/v1/org/{orgId}/usage',
  summary: "Read an organization's usage by member, team and project",
  description:
    'As `/api/v1/usage`, also by team. A team is its members now; a member of several counts in each, so teams may ' +
    'sum to more than `totals`; members of none are under `null`. Team and Enterprise plans.',
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: orgParams,
  query: usageQuery(GROUPINGS, text(128).optional().describe('Filter by team: its members now')),
  success: { status: 200, description: 'Totals, buckets and groups', body: seriesView, list: 'groups' },
  errors: ['not_found', 'plan_required'],
  handle: async ({ principal, params, query }, ctx) => {
    const organization = await ownOrganization(ctx, principal, params.orgId);
    requirePaidPlan(organization);
    return readAskedUsage(ctx, principal, organization, query);
  },
});
