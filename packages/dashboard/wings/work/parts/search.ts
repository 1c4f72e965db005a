import { useSearch } from '@tanstack/react-router';
import type { Range } from '../../../data/range.ts';
import { useChoice, useFilters, useRange } from '../../../data/use-range.ts';
import type { PullRequest, PullRequestsAsked } from '../queries.ts';

const STATES: Readonly<Record<PullRequest['state'], true>> = { open: true, merged: true, closed: true };
const NUMBER = /^[1-9]\d{0,14}$/;

/** The question that the URL asks: repository, number and state, and the range where it is chosen. */
export function usePullRequestSearch(): PullRequestsAsked {
  const range = useRange();
  const { repository } = useFilters();
  const { number } = useSearch({ strict: false }) as { number?: string };
  const state = useChoice('state', STATES);
  const opened = useChoice('opened', ['range', 'calls']);
  const order = useChoice('order', ['asc', 'cost']);
  return {
    ...(opened === 'range' ? range.query : {}),
    ...(opened === 'calls' ? callsIn(range.query) : {}),
    ...(repository ? { repository } : {}),
    ...(number !== undefined && NUMBER.test(number) ? { number: Number(number) } : {}),
    ...(state ? { state } : {}),
    ...(order === 'asc' ? { order } : {}),
    ...(order === 'cost' ? { sort: 'cost_usd' as const } : {}),
  };
}

/** Those with calls in the range, whose figures are then of the range alone. */
function callsIn({ from, to }: Range['query']): PullRequestsAsked {
  return { calls_from: from, ...(to === undefined ? {} : { calls_to: to }) };
}
