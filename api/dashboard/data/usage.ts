import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { groupsQuery } from './queries.ts';
import { type FilterName, useFilters, useRange } from './range.ts';

/** By this the range is asked for again and again; what else is shown of it follows when something has changed. */
const LEADING = 'user_id' satisfies FilterName;
const POLL_MS = 60_000;
const MOST_BEFORE = 20;

/** Usage of the range, with its filters, by one dimension. */
export function useUsageQuery(by: FilterName) {
  const range = useRange();
  const filters = useFilters();
  const query = groupsQuery(by, { ...range.query, interval: range.interval, ...filters });
  return { ...query, refetchInterval: by === LEADING ? POLL_MS : (false as const) };
}

/** Usage of the range by one dimension, and then, so that its figures come first, the sums of the period before it. */
export function useUsageBy(by: FilterName) {
  const range = useRange();
  const filters = useFilters();
  const now = useQuery(useUsageQuery(by));
  const before = useQuery({
    ...groupsQuery(by, { ...range.before, interval: 'month', ...filters }, MOST_BEFORE),
    // Over: it does not follow what changes now.
    queryKey: ['usage before', by, range.before, filters],
    enabled: now.isSuccess,
  });
  return { now, before };
}

/** Renders nothing. Asks again for all usage and anomalies on the page when the one answer that is polled has changed. */
export function UsageFollower() {
  const client = useQueryClient();
  const leading = useUsageQuery(LEADING);
  const { data } = useQuery(leading);
  const key = JSON.stringify(leading.queryKey);
  const seen = useRef({ key, data });
  useEffect(() => {
    const { key: keyBefore, data: before } = seen.current;
    seen.current = { key, data };
    if (keyBefore !== key || before === undefined || before === data) return;
    void client.invalidateQueries({ queryKey: ['anomalies'] });
    void client.invalidateQueries({
      queryKey: ['usage'],
      predicate: ({ queryKey }) => JSON.stringify(queryKey) !== key,
    });
  }, [client, key, data]);
  return null;
}
