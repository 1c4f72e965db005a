import { Grid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { problemOfQuery } from '../data/query-client.ts';
import { UsageFollower, useUsage, useUsageNow } from '../data/usage.tsx';
import { seesTeams, useMe } from '../data/use-me.ts';
import { useFilters } from '../data/use-range.ts';
import { Load } from '../parts/page/load.tsx';
import { NothingYet } from '../parts/page/nothing-yet.tsx';
import { Page } from '../parts/page/page.tsx';
import { ProblemNote } from '../parts/page/problem-note.tsx';
import { RangeBar } from '../parts/page/range-bar.tsx';
import { UsageTiles } from '../parts/usage/tiles.tsx';
import { WorkButton } from '../parts/work/button.tsx';
import { SectionsOfWings } from '../wings/sections.tsx';
import { BudgetButton } from './overview/budget-button.tsx';
import { BudgetCard } from './overview/budget-card.tsx';
import { CostCard } from './overview/cost-card.tsx';
import { FirstSteps } from './overview/first-steps.tsx';
import { TopList } from './overview/top-list.tsx';

/** Loaded for a person's page alone. */
const PersonCard = lazy(async () => ({ default: (await import('./overview/person-card.tsx')).PersonCard }));

/** It reads more than the figures do, so it comes after them. */
const WhatChanged = lazy(async () => ({
  default: (await import('./overview/what-changed.tsx')).WhatChanged,
}));

/** The cost of the range, the top spenders, and everything that needs attention. */
export function Overview() {
  const { user_id } = useFilters();
  const areTeamsSeen = seesTeams(useMe());
  return (
    <Page title="Overview">
      <RangeBar>
        <WorkButton />
        <BudgetButton />
      </RangeBar>
      <UsageFollower />
      <FirstSteps />
      {user_id && (
        <Suspense fallback={<Skeleton height={140} />}>
          <PersonCard userId={user_id} />
        </Suspense>
      )}
      <IfAny>
        <Suspense fallback={<Skeleton height={28} />}>
          <WhatChanged />
        </Suspense>
        <Tiles />
        <CostCard />
        <div className="top-lists">
          <TopList title="Top users" by="user_id" />
          {areTeamsSeen && <TopList title="Top teams" by="team" />}
          <TopList title="Top projects" by="project_id" />
          <TopList title="Top models" by="model" />
        </div>
      </IfAny>
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <BudgetCard />
        </Grid.Col>
        <SectionsOfWings at="overview" />
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
  const problem = problemOfQuery(usage);
  if (problem && usage.data === undefined)
    return <ProblemNote error={problem} onRetry={() => void usage.refetch()} />;
  return usage.data ? <NothingYet noun="call" /> : children;
}

function Tiles() {
  const { now, before } = useUsage();
  return (
    <Load query={now} height={140}>
      {(data) => <UsageTiles usage={data} before={before.data} />}
    </Load>
  );
}
