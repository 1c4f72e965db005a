import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { groupsBy } from '../../data/groups.ts';
import { type BodyOf, type QueryOf, usageQuery } from '../../data/queries.ts';
import { dateIn, plusDays, type Range } from '../../data/range.ts';
import { RECOUNTED } from '../../data/usage-questions.ts';

/** A price rule as the list answers it. */
export type PriceRule = AnswerOf<'/api/v1/price-rules'>['data'][number];
export type NewRule = BodyOf<'/api/v1/price-rules'>;
export type RuleChange = BodyOf<'/api/v1/price-rules/{id}', 'patch'>;
/** A call whose price is asked for. */
export type QuotedCall = BodyOf<'/api/v1/prices/quote'>;

/** The questions whose answers a change of a rule makes outdated. */
export const RULES = ['price-rules', 'quote', 'audit'];

export function rulesQuery(query: QueryOf<'/api/v1/price-rules'>) {
  return queryOptions({
    queryKey: ['price-rules', query],
    queryFn: () => take(api.GET('/api/v1/price-rules', { params: { query } })),
  });
}

export async function createRule(body: NewRule, header: { 'Idempotency-Key': string }) {
  return take(api.POST('/api/v1/price-rules', { body, params: { header } }));
}

export async function changeRule(id: string, body: RuleChange) {
  return take(api.PATCH('/api/v1/price-rules/{id}', { params: { path: { id } }, body }));
}

export async function deleteRule(id: string): Promise<void> {
  await take(api.DELETE('/api/v1/price-rules/{id}', { params: { path: { id } } }));
}

/** The price of a call, and where it comes from. */
export async function askQuote(body: QuotedCall) {
  return take(api.POST('/api/v1/prices/quote', { body }));
}

export function quoteQuery(body: QuotedCall) {
  return queryOptions({
    queryKey: ['quote', body],
    queryFn: () => askQuote(body),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Days, today among them, that a correction of recorded calls reaches back. */
export const REACH_DAYS = 35;

/** The part of a range whose calls can still be corrected; null when there is none. Pure. */
export function reachOf(
  { query }: Pick<Range, 'query'>,
  timezone: string,
  nowMs: number,
): Range['query'] | null {
  const earliest = plusDays(dateIn(timezone, nowMs), 1 - REACH_DAYS);
  if (query.from >= earliest) return query;
  return query.to !== undefined && query.to <= earliest ? null : { ...query, from: earliest };
}

/** The models with calls without a price, by the number of those calls. */
export interface UnpricedModel {
  model: string;
  unpriced: number;
  tokensIn: number;
  tokensOut: number;
  /** The cost of its other calls. */
  costUsd: number;
}

/** The calls without a price of a time. */
export interface Unpriced {
  from: string;
  to: string;
  signals: number;
  unpriced: number;
  models: UnpricedModel[];
}

/** The whole organization's: a price holds for all of it. */
export function unpricedQuery(reach: Range['query']) {
  return queryOptions({
    ...usageQuery({ ...reach, group_by: 'model' }),
    select: (usage): Unpriced => ({
      from: usage.from,
      to: usage.to,
      signals: usage.totals.signals,
      unpriced: usage.totals.unpriced_signals,
      models: unpricedModels(usage),
    }),
  });
}

function unpricedModels(usage: AnswerOf<'/api/v1/usage'>): UnpricedModel[] {
  return groupsBy(usage, 'model')
    .filter(({ unpriced_signals }) => unpriced_signals > 0)
    .map((group) => ({
      model: group.name ?? 'others',
      unpriced: group.unpriced_signals,
      tokensIn: group.tokens_in,
      tokensOut: group.tokens_out,
      costUsd: group.cost_usd,
    }))
    .toSorted((a, b) => b.unpriced - a.unpriced);
}

/** Recorded calls that get the present prices: a preview, then its progress. */
export type Repricing = AnswerOf<'/api/v1/repricings/{id}'>;
export type AskedRepricing = BodyOf<'/api/v1/repricings'>;

/** The questions whose answers a repricing makes outdated. */
export const FIGURES = ['price-rules', ...RECOUNTED];

export async function previewRepricing(body: AskedRepricing): Promise<Repricing> {
  return take(api.POST('/api/v1/repricings', { body }));
}

export async function applyRepricing(id: string): Promise<Repricing> {
  return take(api.POST('/api/v1/repricings/{id}/apply', { params: { path: { id } } }));
}

export async function cancelRepricing(id: string): Promise<void> {
  await take(api.DELETE('/api/v1/repricings/{id}', { params: { path: { id } } }));
}

/** A repricing that is being applied, until it is. */
export function repricingQuery(id: string) {
  return queryOptions({
    queryKey: ['repricings', id],
    queryFn: () => take(api.GET('/api/v1/repricings/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.state === 'applied' ? false : 1_000),
  });
}
