import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { operations } from '../../docs/client.d.ts';
import type { FilterName } from './range.ts';
import { usageBefore, usageNow } from './usage-questions.ts';
import { useFilters, useRange } from './use-range.ts';

export type Usage = operations['get_api_v1_usage']['responses'][200]['content']['application/json'];
export type UsageGroup = Usage['groups'][number];

const POLL_MS = 60_000;

/** The question for usage of the range, with its filters. */
export function useUsageNow() {
  return usageNow(useRange(), useFilters());
}

/** Usage of the range, and then, so that its figures come first, that of the period before it. */
export function useUsage() {
  const range = useRange();
  const filters = useFilters();
  const now = useQuery(usageNow(range, filters));
  const before = useQuery({ ...usageBefore(range, filters), enabled: now.isSuccess });
  return { now, before };
}

/** The groups of one dimension, dearest first; the rest of it is null. */
export function groupsBy({ groups }: Usage, by: FilterName): (UsageGroup & { value: string | null })[] {
  return groups.flatMap((group) => {
    const value = group.key?.[by];
    return value === undefined ? [] : [{ ...group, value }];
  });
}

/** Renders nothing. Asks for the usage of the range once per minute, and for anomalies when it has changed. */
export function UsageFollower() {
  const client = useQueryClient();
  const question = useUsageNow();
  const { data } = useQuery({ ...question, refetchInterval: POLL_MS });
  const key = JSON.stringify(question.queryKey);
  const seen = useRef({ key, data });
  useEffect(() => {
    const { key: keyBefore, data: before } = seen.current;
    seen.current = { key, data };
    if (keyBefore !== key || before === undefined || before === data) return;
    void client.invalidateQueries({ queryKey: ['anomalies'] });
  }, [client, key, data]);
  return null;
}
