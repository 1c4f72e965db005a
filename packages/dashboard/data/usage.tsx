import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Usage } from './groups.ts';
import { usageBefore, usageNow, usageTotals } from './usage-questions.ts';
import { teamsOf, useMe } from './use-me.ts';
import { useFilters, useRange } from './use-range.ts';

const POLL_MS = 60_000;

/** The question for usage of the range, with its filters. */
export function useUsageNow() {
  return usageNow(useRange(), useFilters(), teamsOf(useMe()));
}

/** Usage of the range, and then, so that its figures come first, that of the period before it. */
export function useUsage() {
  const before = usageBefore(useRange(), useFilters(), teamsOf(useMe()));
  const now = useQuery(useUsageNow());
  return { now, before: useQuery({ ...before, enabled: now.isSuccess }) };
}

/** Renders nothing. Asks for the sums of the range once per minute, and for all that Overview shows when they have changed. */
export function UsageFollower() {
  const { data } = useQuery(useUsageNow());
  return data ? <Follower shown={data.totals} /> : null;
}

function Follower({ shown: { active_users, ...shown } }: { shown: Usage['totals'] }) {
  const client = useQueryClient();
  const polled = useQuery({
    ...usageTotals(useRange(), useFilters()),
    refetchInterval: POLL_MS,
    // The first poll is a minute from now: what is shown has just been asked for.
    staleTime: Number.POSITIVE_INFINITY,
    initialData: shown,
  });
  const known = JSON.stringify(shown);
  const current = JSON.stringify(polled.data);
  const { dataUpdatedAt } = polled;
  // biome-ignore lint/correctness/useExhaustiveDependencies: compared whenever a poll has been answered, not when what is shown changes.
  useEffect(() => {
    if (current === known) return;
    void client.invalidateQueries({ queryKey: ['usage'] });
    void client.invalidateQueries({ queryKey: ['anomalies'] });
  }, [client, current, dataUpdatedAt]);
  return null;
}
