import { Grid, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { UsageFollower, useUsage, useUsageNow } from '../data/usage.tsx';
import { Load } from '../parts/page/load.tsx';
import { NothingYet } from '../parts/page/nothing-yet.tsx';
import { Page } from '../parts/page/page.tsx';
import { ProblemNote } from '../parts/page/problem-note.tsx';
import { RangeBar } from '../parts/page/range-bar.tsx';
import { UsageTiles } from '../parts/usage/tiles.tsx';
import { AnomalyCard, BudgetCard } from './overview/attention.tsx';
import { CostCard } from './overview/cost-card.tsx';
import { TopList } from './overview/top-list.tsx';

/** The cost of the range, the top spenders, and everything that needs attention. */
export function Overview() {
  return (
    <Page title="Overview">
      <RangeBar />
      <UsageFollower />
      <IfAny>
        <Tiles />
        <CostCard />
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          <TopList title="Top users" by="user_id" />
          <TopList title="Top projects" by="project_id" />
          <TopList title="Top models" by="model" />
        </SimpleGrid>
      </IfAny>
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

function IfAny({ children }: { children: React.ReactNode }) {
  const usage = useQuery({
    ...useUsageNow(),
    select: ({ totals }) => totals.signals === 0,
  });
  // All of it asks the same, so one note is enough.
  if (usage.isError && usage.data === undefined)
    return <ProblemNote error={usage.error} onRetry={() => void usage.refetch()} />;
  return usage.data ? <NothingYet noun="signal" /> : children;
}

function Tiles() {
  const { now, before } = useUsage();
  return (
    <Load query={now} height={140}>
      {(data) => <UsageTiles usage={data} before={before.data} />}
    </Load>
  );
}
