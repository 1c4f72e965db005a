import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { type Grouping, isWork } from '../../data/range.ts';
import { useUsage } from '../../data/usage.tsx';
import { workUsage } from '../../data/usage-questions.ts';
import { seesTeams, useMe } from '../../data/use-me.ts';
import { useChangeSearch, useChoice, useFilters, useRange, useSharedSearch } from '../../data/use-range.ts';
import { ChartCard } from '../../parts/chart/card.tsx';
import { optionsOf, SearchSelect } from '../../parts/form/search-select.tsx';
import { Load } from '../../parts/page/load.tsx';
import { useNames } from '../../parts/text/user-name.tsx';
import { costContent } from './cost-content.ts';

const SPLITS = {
  model: 'By model',
  adapter: 'By tool',
  project_id: 'By project',
  user_id: 'By user',
  team: 'By team',
  repository: 'By repository',
  branch: 'By branch',
  pull_request: 'By pull request',
  task: 'By task',
} as const;
const VIEWS = ['table'] as const;

/** Loaded with the table, which most people never ask for. */
const AllGroups = lazy(async () => ({ default: (await import('./all-groups.tsx')).AllGroups }));

/** Cost over the range, stacked by a dimension that can be chosen. Each bar leads to its sessions. */
export function CostCard() {
  const me = useMe();
  const { team: _, ...withoutTeams } = SPLITS;
  const splits: Partial<typeof SPLITS> = seesTeams(me) ? SPLITS : withoutTeams;
  const split: Grouping = useChoice('split', splits as typeof SPLITS) ?? 'model';
  const asTable = useChoice('view', VIEWS) === 'table';
  const change = useChangeSearch();
  const names = useNames();
  const search = useSharedSearch();
  const usage = useUsageBy(split);
  return (
    <Load query={usage} height={340}>
      {(data) => (
        <ChartCard
          title="Cost over time"
          content={costContent(data, { split, names, search, zone: me.org.timezone })}
          view={{ asTable, setAsTable: (is) => change({ view: is ? 'table' : undefined }) }}
          table={
            <Suspense fallback={<Skeleton height={240} />}>
              <AllGroups by={split} title={SPLITS[split]} />
            </Suspense>
          }
          note={
            split === 'team' && (
              <Text size="sm" c="dimmed">
                A member of several teams counts in each, so teams may sum to more than the whole.
              </Text>
            )
          }
          controls={
            <SearchSelect
              name="split"
              size="xs"
              aria-label="Split by"
              value={split}
              data={optionsOf(splits as Record<string, string>)}
            />
          }
        />
      )}
    </Load>
  );
}

/** The usage of the page knows every split but those by work, which are asked for when they are chosen. */
function useUsageBy(split: Grouping) {
  const { now } = useUsage();
  const by = isWork(split) ? split : null;
  const work = useQuery({
    ...workUsage(useRange(), useFilters(), by ?? 'branch'),
    enabled: by !== null,
  });
  return by === null ? now : work;
}
