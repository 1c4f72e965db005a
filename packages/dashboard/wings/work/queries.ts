import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';
import type { QueryOf } from '../../data/queries.ts';

/** A pull request as the list answers it. */
export type PullRequest = AnswerOf<'/api/v1/pull-requests'>['data'][number];
export type PullRequestDetail = AnswerOf<'/api/v1/pull-requests/{id}'>;
export type MergedSums = AnswerOf<'/api/v1/pull-requests/summary'>;

export type PullRequestsAsked = QueryOf<'/api/v1/pull-requests'>;

export function pullRequestsQuery(query: PullRequestsAsked) {
  return queryOptions({
    queryKey: ['pull-requests', query],
    queryFn: () => take(api.GET('/api/v1/pull-requests', { params: { query } })),
    refetchInterval: 60_000,
  });
}

export function pullRequestQuery(id: string) {
  return queryOptions({
    queryKey: ['pull-requests', id],
    queryFn: () => take(api.GET('/api/v1/pull-requests/{id}', { params: { path: { id } } })),
    refetchInterval: 60_000,
  });
}

/** A branch of the ranking. */
export type Branch = AnswerOf<'/api/v1/branches'>['data'][number];

export function branchesQuery(query: QueryOf<'/api/v1/branches'>) {
  return queryOptions({
    queryKey: ['branches', query],
    queryFn: () => take(api.GET('/api/v1/branches', { params: { query } })),
    refetchInterval: 60_000,
  });
}

/** The sums of the pull requests that were merged in a range. */
export function mergedQuery(query: QueryOf<'/api/v1/pull-requests/summary'>) {
  return queryOptions({
    queryKey: ['pull-requests', 'merged', query],
    queryFn: () => take(api.GET('/api/v1/pull-requests/summary', { params: { query } })),
    refetchInterval: 60_000,
  });
}
