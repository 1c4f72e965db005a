import { queryOptions } from '@tanstack/react-query';
import { api, take } from './client.ts';
import { usageQuery } from './queries.ts';
import { DIMENSIONS, type Dimension, type Filters, type Grouping, type Range } from './range.ts';

const TOP = '8';
const TOP_BEFORE = '20';

/** Usage of a range by every dimension, in one answer: the dearest eight of each and the rest, each with its course. */
export function usageNow(range: Range, filters: Filters) {
  return eachQuery({ ...range.query, interval: range.interval, ...filters }, DIMENSIONS, TOP);
}

/** Usage of the period before the range, by the dimensions that are compared. */
export function usageBefore(range: Range, filters: Filters) {
  return {
    ...eachQuery(
      { ...range.before, interval: 'month', ...filters },
      ['user_id', 'project_id', 'model'],
      TOP_BEFORE,
    ),
    // Over: it does not follow what changes now.
    queryKey: ['usage before', range.before, filters],
  };
}

/** The sums alone, in the same order of fields: the cheapest way to know whether anything has changed. */
export function usageTotals(range: Range, filters: Filters) {
  return queryOptions({
    queryKey: ['usage totals', range.query, filters],
    queryFn: async () => {
      const query = { ...range.query, ...filters };
      const { active_users, ...totals } = (await take(api.GET('/api/v1/usage', { params: { query } })))
        .totals;
      return totals;
    },
  });
}

/** The values to filter by in a range, most expensive first. */
export function usageValues(range: Range) {
  return eachQuery({ ...range.query, interval: range.interval }, DIMENSIONS, '20');
}

/** Usage of a range by team, for whoever may see all teams: the dearest eight and the rest, each with its course. */
export function teamUsage(orgId: string, range: Range, filters: Filters) {
  return teamQuery(orgId, { ...range.query, interval: range.interval, ...filters }, TOP);
}

/** The same of the period before the range. */
export function teamUsageBefore(orgId: string, range: Range, filters: Filters) {
  return teamQuery(orgId, { ...range.before, interval: 'month', ...filters }, TOP_BEFORE);
}

function teamQuery(orgId: string, asked: Asked, top: string) {
  const query = { ...asked, series: 'groups' as const, group_by: 'team', top };
  return queryOptions({
    queryKey: ['usage', 'by team', query],
    queryFn: () =>
      take(api.GET('/api/v1/org/{orgId}/usage', { params: { path: { orgId }, query: query as never } })),
  });
}

/** All groups of a range by one dimension, without their course. */
export function allGroups(orgId: string, by: Grouping, range: Range, filters: Filters) {
  const query = { ...range.query, ...filters, group_by: by };
  return queryOptions({
    queryKey: ['usage', 'all groups', query],
    queryFn: () =>
      by === 'team'
        ? take(api.GET('/api/v1/org/{orgId}/usage', { params: { path: { orgId }, query: query as never } }))
        : take(api.GET('/api/v1/usage', { params: { query: query as never } })),
  });
}

type Asked = { from: string; to?: string; interval: Range['interval'] } & Filters;

function eachQuery(asked: Asked, by: readonly Dimension[], top: string) {
  return usageQuery({ ...asked, series: 'each', group_by: by.join(','), top });
}
