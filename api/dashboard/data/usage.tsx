import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from './client.ts';
import { type Grouping, isWork } from './range.ts';
import { usageBefore, usageNow, usageTotals } from './usage-questions.ts';
import { teamsOf, useMe } from './use-me.ts';
import { useFilters, useRange } from './use-range.ts';

export type Usage = AnswerOf<'/api/v1/usage'>;
export type UsageGroup = Usage['groups'][number];

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

/** A group as people see it. */
export interface NamedGroup extends UsageGroup {
  /** To filter by; null where no filter means it. */
  value: string | null;
  /** Null: the rest. */
  name: string | null;
}

/** The name of the group that has no value. */
const NONE = { team: 'In no team', work: 'Not attributed' } as const;

/** The groups by one grouping, dearest first and the rest last. */
export function groupsBy({ groups }: Usage, by: Grouping): NamedGroup[] {
  return groups.flatMap((group) => {
    const value = group.key?.[by];
    if (value === undefined) return [];
    return [{ ...group, value, name: value ?? (group.rest ? null : NONE[isWork(by) ? 'work' : 'team']) }];
  });
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
