import { z } from 'zod';
import { readOrganization } from '../../shared/organizations/read-organization.ts';
import { narrowToReader } from '../../shared/organizations/reader.ts';
import { findWorks } from '../../shared/pull-requests/read-works.ts';
import { zonesOf } from '../../shared/usage/calendar.ts';
import { readGroupSeries } from '../../shared/usage/read-group-series.ts';
import { readUsage } from '../../shared/usage/read-usage.ts';
import { usersOfNamedTeam } from '../auth/own-organization.ts';
import { route } from '../basics/route.ts';
import { teamFilter } from '../schemas/session-query.ts';
import { rangeIn } from '../schemas/time.ts';
import {
  groupBy,
  groupSeriesQuery,
  MOST_GROUP_SERIES,
  ownGroupings,
  refuseMisplaced,
  seriesView,
  usageFilters,
  usageInterval,
  usageRange,
  workFilters,
} from '../schemas/usage-query.ts';

const asked = z.strictObject({
  ...usageRange,
  interval: usageInterval,
  group_by: groupBy(ownGroupings, ownGroupings.length),
  ...groupSeriesQuery,
  ...usageFilters,
  ...workFilters,
  team: teamFilter,
});

export const getUsage = route({
  method: 'get',
  path: '/api/v1/usage',
  summary: 'Read aggregated usage and cost',
  description:
    'Sums of signals by the time at which they happened, always equal to the signals below. Exact in any timezone ' +
    "for the last 35 days, and for ever by whole days of the organization's own.",
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: asked,
  success: { status: 200, description: 'Totals, buckets and groups', body: seriesView, list: 'groups' },
  errors: ['plan_required'],
  handle: async ({ principal, query }, ctx) => {
    const { from, to, interval, timezone, group_by, series, top, team, ...others } = query;
    const { repository, branch, pull_request, task, ...filter } = others;
    const organization = await readOrganization(ctx, principal.orgId);
    refuseMisplaced(query);
    const users = await usersOfNamedTeam(ctx, principal, team);
    const works = await findWorks(ctx, principal.orgId, { repository, branch, pull_request, task });
    const question = {
      ...rangeIn(zonesOf(organization, timezone, ctx.clock.now()), { from, to }),
      interval,
      timezone,
      groupBy: group_by ?? [],
      filter: { ...narrowToReader(principal, filter), users, works },
    };
    if (series === undefined) return readUsage(ctx, organization, question);
    return readGroupSeries(ctx, organization, question, top ?? MOST_GROUP_SERIES.default);
  },
});
