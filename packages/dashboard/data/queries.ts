import { queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../api/docs/client.d.ts';
import { type AnswerOf, api, readMe, take, takeAll } from './client.ts';

/** A webhook as the list answers it. */
export type Webhook = AnswerOf<'/api/v1/webhooks'>['data'][number];

/** A budget as the list answers it. */
export type Budget = AnswerOf<'/api/v1/budgets'>['data'][number];
/** A budget as its page has it. */
export type BudgetDetail = AnswerOf<'/api/v1/budgets/{id}'>;
export type WindowUsage = AnswerOf<'/api/v1/budgets/{id}/usage'>;

/** A session with its signals. */
export type SessionAnswer = AnswerOf<'/api/v1/sessions/{id}'>;

/** The person who is signed in. */
export function meQuery() {
  return queryOptions({ queryKey: ['me'], queryFn: readMe, staleTime: 60_000 });
}

/** The body of a request. */
export type BodyOf<Path extends keyof paths, Method extends 'post' | 'patch' = 'post'> =
  paths[Path] extends Record<Method, { requestBody?: { content: { 'application/json': infer Body } } }>
    ? Body
    : never;

export type PreviewAsked = BodyOf<'/api/v1/webhooks/preview'>;

/** The message that a webhook of a format gets for an event of a type. */
export function previewQuery(body: PreviewAsked) {
  return queryOptions({
    queryKey: ['preview', body],
    queryFn: () => take(api.POST('/api/v1/webhooks/preview', { body })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export type QueryOf<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query } };
}
  ? NonNullable<Query>
  : never;

export type UsageQuestion = QueryOf<'/api/v1/usage'>;

export function usageQuery(query: UsageQuestion) {
  return queryOptions({
    queryKey: ['usage', query],
    queryFn: () => take(api.GET('/api/v1/usage', { params: { query } })),
  });
}

/** The same, also by team, for whoever may see all of an organization. */
export function orgUsageQuery(orgId: string, query: QueryOf<'/api/v1/org/{orgId}/usage'>) {
  return queryOptions({
    queryKey: ['usage', orgId, query],
    queryFn: () => take(api.GET('/api/v1/org/{orgId}/usage', { params: { path: { orgId }, query } })),
  });
}

export function sessionsQuery(query: QueryOf<'/api/v1/sessions'>) {
  return queryOptions({
    queryKey: ['sessions', query],
    queryFn: () => take(api.GET('/api/v1/sessions', { params: { query } })),
    refetchInterval: 10_000,
  });
}

export function sessionQuery(id: string) {
  return queryOptions({
    queryKey: ['session', id],
    queryFn: () => take(api.GET('/api/v1/sessions/{id}', { params: { path: { id } } })),
    // Late signals of an ended session are rare; polling would read all of them again.
    refetchInterval: ({ state }) => (state.data?.state === 'ended' ? false : 10_000),
  });
}

export function breakdownQuery(id: string, isOpen: boolean) {
  return queryOptions({
    queryKey: ['session', id, 'breakdown'],
    queryFn: () => take(api.GET('/api/v1/sessions/{id}/breakdown', { params: { path: { id } } })),
    refetchInterval: isOpen ? 10_000 : false,
  });
}

/** Every budget that the person sees, page by page: the worst may be on the last one. */
export function budgetsQuery() {
  return queryOptions({
    queryKey: ['budgets', 'all'],
    queryFn: () => takeAll((query) => take(api.GET('/api/v1/budgets', { params: { query } }))),
    refetchInterval: 10_000,
  });
}

/** The verdict about the next call of the person, for whom a budget may refuse it that the person does not see. */
export function ownVerdictQuery() {
  return queryOptions({
    queryKey: ['budgets', 'own verdict'],
    queryFn: async () => (await take(api.GET('/api/v1/me/budget'))) as AnswerOf<'/api/v1/me/budget'>,
    refetchInterval: 30_000,
  });
}

export function budgetUsageQuery(id: string, window_start: string) {
  return queryOptions({
    queryKey: ['budgets', id, 'usage', window_start],
    queryFn: () =>
      take(api.GET('/api/v1/budgets/{id}/usage', { params: { path: { id }, query: { window_start } } })),
    refetchInterval: 30_000,
  });
}

export function webhooksQuery() {
  return queryOptions({
    queryKey: ['webhooks'],
    queryFn: () => take(api.GET('/api/v1/webhooks')),
    refetchInterval: 10_000,
  });
}

export function budgetQuery(id: string) {
  return queryOptions({
    queryKey: ['budgets', id],
    queryFn: () => take(api.GET('/api/v1/budgets/{id}', { params: { path: { id } } })),
    refetchInterval: 10_000,
  });
}

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', id],
    queryFn: () => take(api.GET('/api/v1/webhooks/{id}', { params: { path: { id } } })),
    refetchInterval: 5_000,
  });
}

export function deliveriesQuery(id: string, query: QueryOf<'/api/v1/webhooks/{id}/deliveries'>) {
  return queryOptions({
    queryKey: ['webhooks', id, 'deliveries', query],
    queryFn: () => take(api.GET('/api/v1/webhooks/{id}/deliveries', { params: { path: { id }, query } })),
    refetchInterval: 5_000,
  });
}

export function keysQuery(query: QueryOf<'/v1/keys'> = {}) {
  return queryOptions({
    queryKey: ['keys', query],
    queryFn: () => take(api.GET('/v1/keys', { params: { query } })),
  });
}

export function membersQuery() {
  return queryOptions({ queryKey: ['members'], queryFn: () => take(api.GET('/v1/members')) });
}

export function organizationQuery() {
  return queryOptions({ queryKey: ['organization'], queryFn: () => take(api.GET('/v1/organization')) });
}

/** The person's own choices: the digest and the notices that are dismissed. */
export function preferencesQuery() {
  return queryOptions({ queryKey: ['preferences'], queryFn: () => take(api.GET('/v1/preferences')) });
}

export function devicesQuery() {
  return queryOptions({
    queryKey: ['devices'],
    queryFn: () => take(api.GET('/v1/devices')),
    refetchInterval: 30_000,
  });
}
