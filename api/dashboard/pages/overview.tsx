import { Button, Grid, Group, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { groupsQuery } from '../data/queries.ts';
import { type FilterName, useChangeSearch, useFilters, useRange } from '../data/range.ts';
import { Empty } from '../parts/empty.tsx';
import { Load } from '../parts/load.tsx';
import { Page } from '../parts/page.tsx';
import { RangeBar } from '../parts/range-bar.tsx';
import { UsageTiles } from '../parts/usage-tiles.tsx';
import { AnomalyCard, BudgetCard } from './overview/attention.tsx';
import { CostCard, splitOf } from './overview/cost-card.tsx';
import { TopList } from './overview/top-list.tsx';

/** What it costs, who spends it, and what needs attention. */
export function Overview() {
  const range = useRange();
  const filters = useFilters();
  const { split: chosen } = useSearch({ strict: false }) as { split?: string };
  const split = splitOf(chosen);
  const asked = { ...range.query, interval: range.interval, ...filters };
  const bySplit = useQuery(groupsQuery(split, asked));
  const byUser = useUsageBy('user_id');
  const byProject = useUsageBy('project_id');
  const byModel = useUsageBy('model');
  return (
    <Page title="Overview">
      <RangeBar />
      {byUser.now.data?.totals.signals === 0 ? (
        <NothingYet />
      ) : (
        <>
          <Load query={byUser.now} height={140}>
            {(data) => <UsageTiles usage={data} before={byUser.before.data} />}
          </Load>
          <Load query={bySplit} height={340}>
            {(data) => <CostCard data={data} split={split} />}
          </Load>
          <SimpleGrid cols={{ base: 1, md: 3 }}>
            <TopList title="Top users" by="user_id" usage={byUser} />
            <TopList title="Top projects" by="project_id" usage={byProject} />
            <TopList title="Top models" by="model" usage={byModel} />
          </SimpleGrid>
        </>
      )}
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <BudgetCard />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <AnomalyCard />
        </Grid.Col>
      </Grid>
    </Page>
  );
}

const MOST_BEFORE = 20;

/** Usage of the range by one dimension, and of the period before it, of which only the sums are shown. */
function useUsageBy(by: FilterName) {
  const range = useRange();
  const filters = useFilters();
  const now = useQuery(groupsQuery(by, { ...range.query, interval: range.interval, ...filters }));
  const before = useQuery({
    ...groupsQuery(by, { ...range.before, interval: 'month', ...filters }, MOST_BEFORE),
    refetchInterval: false,
  });
  return { now, before };
}

function NothingYet() {
  const range = useRange();
  const filters = useFilters();
  const change = useChangeSearch();
  const isNarrowed = Object.keys(filters).length > 0;
  return (
    <Empty
      action={
        <Group gap="sm" justify="center">
          <Button component={Link} to="/connect">
            Connect a tool
          </Button>
          {range.name !== '30d' && (
            <Button
              variant="default"
              onClick={() => change({ range: '30d', from: undefined, to: undefined })}
            >
              Look at the last 30 days
            </Button>
          )}
          {isNarrowed && (
            <Button
              variant="default"
              onClick={() =>
                change(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))
              }
            >
              Remove the filters
            </Button>
          )}
        </Group>
      }
    >
      No signal in this range{isNarrowed ? ' with these filters' : ''}. Once a tool is connected, its cost,
      tokens and sessions appear here.
    </Empty>
  );
}
