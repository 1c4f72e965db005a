import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, api, take } from './client.ts';
import { orgUsageQuery, usageQuery } from './queries.ts';
import {
  DIMENSIONS,
  type Dimension,
  type Filters,
  type Grouping,
  type Range,
  WORK_DIMENSIONS,
  type WorkDimension,
} from './range.ts';

const TOP = '8';
const TOP_BEFORE = '20';

/** The questions whose answers are outdated once calls are voided, released or priced anew. */
export const RECOUNTED = [
  'usage',
  'usage before',
  'usage changes',
  'usage totals',
  'sessions',
  'session',
  'budgets',
  'anomalies',
  'pull-requests',
  'branches',
];

/**
 * Usage of a range by every dimension, in one answer: the most expensive eight of each and the rest, each with its course. By team
 * too for whoever may ask for all of an organization, `teamsOf`.
 */
export function usageNow(range: Range, filters: Filters, teamsOf: string | null) {
  return eachQuery({ ...range.query, interval: range.interval, ...filters }, DIMENSIONS, TOP, teamsOf);
}

/** Usage of the period before the range, by the dimensions that are compared. */
export function usageBefore(range: Range, filters: Filters, teamsOf: string | null) {
  return {
    ...eachQuery(
      { ...range.before, interval: 'month', ...filters },
      ['user_id', 'project_id', 'model'],
      TOP_BEFORE,
      teamsOf,
    ),
    // Over: it does not follow what changes now.
    queryKey: ['usage before', range.before, filters, teamsOf ?? ''],
  };
}

export type Changes = AnswerOf<'/api/v1/usage/changes'>;

/** The change of the cost from the period before the range, and what explains it. */
export function usageChanges({ query: range, before }: Range, filters: Filters) {
  const query = { ...range, before_from: before.from, before_to: before.to, ...filters };
  return queryOptions({
    queryKey: ['usage changes', query],
    queryFn: () => take(api.GET('/api/v1/usage/changes', { params: { query } })),
    staleTime: 300_000,
  });
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

/** Usage of a range by what its calls were made for, asked for when somebody wants it. */
export function workUsage(range: Range, filters: Filters, by: WorkDimension) {
  return eachQuery({ ...range.query, interval: range.interval, ...filters }, [by], TOP, null);
}

/** The repositories, branches and tasks to filter by in a range, most expensive first. */
export function workValues(range: Range) {
  return eachQuery({ ...range.query, interval: 'month' }, WORK_DIMENSIONS, '20', null);
}

/** The values to filter by in a range, most expensive first. */
export function usageValues(range: Range) {
  return eachQuery({ ...range.query, interval: range.interval }, DIMENSIONS, '20', null);
}

/** All groups of a range by one dimension, without their course. */
export function allGroups(orgId: string, by: Grouping, range: Pick<Range, 'query'>, filters: Filters) {
  const query = { ...range.query, ...filters, group_by: by };
  return by === 'team' ? orgUsageQuery(orgId, query) : usageQuery(query);
}

type Asked = { from: string; to?: string; interval: Range['interval'] } & Filters;

function eachQuery(
  asked: Asked,
  by: readonly (Dimension | WorkDimension)[],
  top: string,
  teamsOf: string | null,
) {
  const query = { ...asked, series: 'each' as const, group_by: by.join(','), top };
  if (teamsOf === null) return usageQuery(query);
  return orgUsageQuery(teamsOf, { ...query, group_by: `${query.group_by},team` });
}
