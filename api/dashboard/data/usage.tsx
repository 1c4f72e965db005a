import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from './client.ts';
import type { Dimension, Grouping } from './range.ts';
import { teamUsage, teamUsageBefore, usageBefore, usageNow, usageTotals } from './usage-questions.ts';
import { useMe } from './use-me.ts';
import { useFilters, useRange } from './use-range.ts';

export type Usage = AnswerOf<'/api/v1/usage'>;
export type UsageGroup = Usage['groups'][number];

const POLL_MS = 60_000;

/** The question for usage of the range, with its filters. */
export function useUsageNow() {
  return usageNow(useRange(), useFilters());
}

/** Usage of the range, and then, so that its figures come first, that of the period before it. */
export function useUsage(isWanted = true) {
  const range = useRange();
  const filters = useFilters();
  const now = useQuery({ ...usageNow(range, filters), enabled: isWanted });
  const before = useQuery({ ...usageBefore(range, filters), enabled: isWanted && now.isSuccess });
  return { now, before };
}

/** The groups of one dimension, dearest first; the rest of it is null. */
export function groupsBy({ groups }: Usage, by: Dimension): (UsageGroup & { value: string | null })[] {
  return groups.flatMap((group) => {
    const value = group.key?.[by];
    return value === undefined ? [] : [{ ...group, value }];
  });
}

/** Usage by a grouping, now and in the period before: teams by a question of their own. */
export function useGrouped(by: Grouping): Grouped {
  const { org } = useMe();
  const range = useRange();
  const filters = useFilters();
  const isTeam = by === 'team';
  const own = useUsage(!isTeam);
  const now = useQuery({ ...teamUsage(org.id, range, filters), enabled: isTeam });
  const before = useQuery({
    ...teamUsageBefore(org.id, range, filters),
    enabled: isTeam && now.isSuccess,
  });
  return isTeam ? { now, before } : own;
}

interface Grouped {
  now: UseQueryResult<Usage>;
  before: UseQueryResult<Usage>;
}

/** A group as people see it. */
export interface NamedGroup extends UsageGroup {
  /** To filter by; null where no filter means it. */
  value: string | null;
  /** Null: the rest. */
  name: string | null;
}

const NO_TEAM = 'In no team';

/** The groups by one grouping, dearest first and the rest last. */
export function namedGroups(usage: Usage, by: Grouping): NamedGroup[] {
  if (by !== 'team') return groupsBy(usage, by).map((group) => ({ ...group, name: group.value }));
  return usage.groups.map((group) => {
    const value = group.key?.team ?? null;
    return { ...group, value, name: group.key === null ? null : (value ?? NO_TEAM) };
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
