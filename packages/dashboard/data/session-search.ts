import { useSearch } from '@tanstack/react-router';

/** The orders of a list of sessions, in words. */
export const SORTS = {
  started_at: 'Start',
  cost_usd: 'Cost',
  tokens: 'Tokens',
  signal_count: 'Calls',
  error_count: 'Errors',
  intervention_count: 'Policy decisions',
  duration_s: 'Length',
} as const;
export type Sort = keyof typeof SORTS;

const FLAGS = ['true', 'false'] as const;
const STATES = ['open', 'ended'] as const;
const USD = /^\d{1,7}(\.\d{1,9})?$/;

/** The filters of sessions that no other page has, as the URL and the API have them. */
export interface SessionFilters {
  errors?: 'true' | 'false';
  anomalous?: 'true' | 'false';
  state?: 'open' | 'ended';
  min_cost_usd?: string;
}

export interface SessionSearch {
  filters: SessionFilters;
  sort: Sort;
  order: 'asc' | 'desc';
}

/** The part of a URL that only the list of sessions reads. Values that are not valid are omitted. */
export function readSessionSearch(search: Record<string, unknown>): SessionSearch {
  const filters: SessionFilters = {};
  for (const name of ['errors', 'anomalous'] as const) {
    const flag = FLAGS.find((value) => value === search[name]);
    if (flag) filters[name] = flag;
  }
  const state = STATES.find((value) => value === search.state);
  if (state) filters.state = state;
  const { min_cost_usd: least } = search;
  if (typeof least === 'string' && USD.test(least) && Number(least) <= 1_000_000)
    filters.min_cost_usd = least;
  const sort = (Object.keys(SORTS) as Sort[]).find((name) => name === search.sort) ?? 'started_at';
  return { filters, sort, order: search.order === 'asc' ? 'asc' : 'desc' };
}

export function useSessionSearch(): SessionSearch {
  return readSessionSearch(useSearch({ strict: false }));
}
