import { useSearch } from '@tanstack/react-router';
import type { Range } from '../../../data/range.ts';
import { useChoice, useFilters, useRange } from '../../../data/use-range.ts';
import type { PullRequest, PullRequestsAsked } from '../queries.ts';

const STATES: Readonly<Record<PullRequest['state'], true>> = { open: true, merged: true, closed: true };
const NUMBER = /^[1-9]\d{0,14}$/;

/**
 * The question that the URL asks: repository, number and state. By default those with calls in the range, most expensive first.
 */
export function usePullRequestSearch(): PullRequestsAsked {
  const range = useRange();
  const { repository } = useFilters();
  const { number } = useSearch({ strict: false }) as { number?: string };
  const state = useChoice('state', STATES);
  const isOne = number !== undefined && NUMBER.test(number);
  // One that is looked for by its number is found whenever it had calls.
  const opened = useChoice('opened', ['any', 'range']) ?? (isOne ? 'any' : undefined);
  const order = useChoice('order', ['asc', 'desc']);
  return {
    ...(opened === 'range' ? range.query : {}),
    ...(opened === undefined ? callsIn(range.query) : {}),
    ...(repository ? { repository } : {}),
    ...(isOne ? { number: Number(number) } : {}),
    ...(state ? { state } : {}),
    ...(order ? { order } : { sort: 'cost_usd' as const }),
  };
}

/** Those with calls in the range, whose figures are then of the range alone. */
export function callsIn({ from, to }: Range['query']) {
  return { calls_from: from, ...(to === undefined ? {} : { calls_to: to }) };
}
