import { useSearch } from '@tanstack/react-router';
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
  const isInRange = useChoice('opened', ['range']) === 'range';
  const order = useChoice('order', ['asc']);
  return {
    ...(isInRange ? range.query : {}),
    ...(repository ? { repository } : {}),
    ...(number !== undefined && NUMBER.test(number) ? { number: Number(number) } : {}),
    ...(state ? { state } : {}),
    ...(order ? { order } : {}),
  };
}
