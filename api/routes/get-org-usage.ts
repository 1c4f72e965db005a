import { z } from 'zod';
import { text } from '../../shared/platform/basics/text.ts';
import { findWorks } from '../../shared/pull-requests/read-works.ts';
import { zonesOf } from '../../shared/usage/calendar.ts';
import { GROUPINGS } from '../../shared/usage/group-usage.ts';
import { readGroupSeries } from '../../shared/usage/read-group-series.ts';
import { readUsage } from '../../shared/usage/read-usage.ts';
import { ownOrganization, requirePaidPlan, usersOfNamedTeam } from '../auth/own-organization.ts';
import { route } from '../basics/route.ts';
import { orgParams } from '../schemas/params.ts';
import { rangeIn } from '../schemas/time.ts';
import {
  groupBy,
  groupSeriesQuery,
  MOST_GROUP_SERIES,
  refuseMisplaced,
  seriesView,
  usageFilters,
  usageInterval,
  usageRange,
  workFilters,
} from '../schemas/usage-query.ts';

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
  query: z.strictObject({
    ...usageRange,
    interval: usageInterval,
    group_by: groupBy(GROUPINGS, GROUPINGS.length),
    ...groupSeriesQuery,
    ...usageFilters,
    ...workFilters,
    team: text(128).optional().describe('Filter by team: its members now'),
  }),
  success: { status: 200, description: 'Totals, buckets and groups', body: seriesView, list: 'groups' },
  errors: ['not_found', 'plan_required'],
  handle: async ({ principal, params, query }, ctx) => {
    const organization = await ownOrganization(ctx, principal, params.orgId);
    requirePaidPlan(organization);
    const { from, to, interval, timezone, group_by, series, top, team, ...others } = query;
    const { repository, branch, pull_request, task, ...filter } = others;
    refuseMisplaced(query);
    const works = await findWorks(ctx, organization._id, { repository, branch, pull_request, task });
    const question = {
      ...rangeIn(zonesOf(organization, timezone, ctx.clock.now()), { from, to }),
      interval,
      timezone,
      groupBy: group_by ?? [],
      filter: { ...filter, users: await usersOfNamedTeam(ctx, principal, team), works },
    };
    if (series === undefined) return readUsage(ctx, organization, question);
    return readGroupSeries(ctx, organization, question, top ?? MOST_GROUP_SERIES.default);
  },
});
