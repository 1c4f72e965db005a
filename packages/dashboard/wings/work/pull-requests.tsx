import '../../parts/sessions/sessions.css';
import { Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useIsAdmin } from '../../data/use-me.ts';
import { useChangeSearch, useChoice, useFilters, useRange } from '../../data/use-range.ts';
import { Load } from '../../parts/page/load.tsx';
import { Page } from '../../parts/page/page.tsx';
import { PagedRows, usePages } from '../../parts/page/pager.tsx';
import { RangeBar } from '../../parts/page/range-bar.tsx';
import { branchColumns, pullRequestColumns } from './parts/columns.tsx';
import { PullRequestFilters } from './parts/filters.tsx';
import { MergedFigures } from './parts/merged.tsx';
import { NoPullRequestYet, NoSuchPullRequest } from './parts/none-yet.tsx';
import { callsIn, usePullRequestSearch } from './parts/search.ts';
import { branchesQuery, pullRequestsQuery } from './queries.ts';

const TABS = ['pulls', 'branches'] as const;

/** The ranking of pull requests and of branches by their cost, and what a merged pull request costs. */
export function PullRequests() {
  const isAdmin = useIsAdmin();
  const change = useChangeSearch();
  const tab = useChoice('tab', TABS) ?? 'pulls';
  return (
    <Page
      title="Pull requests"
      lead={
        isAdmin
          ? 'The cost of each: all calls on its branch, also those before it was opened'
          : 'Your part of each: your own calls on its branch, also those before it was opened'
      }
    >
      <Tabs
        value={tab}
        onChange={(next) => change({ tab: next === 'branches' ? next : undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="pulls">Pull requests</Tabs.Tab>
          <Tabs.Tab value="branches">Branches</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="pulls">
          <Known />
        </Tabs.Panel>
        <Tabs.Panel value="branches">
          <Branches />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Known() {
  const any = useQuery(pullRequestsQuery({ limit: 1 }));
  return (
    <Load query={any} height={400}>
      {({ data }) => (data.length === 0 ? <NoPullRequestYet /> : <All />)}
    </Load>
  );
}

function All() {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const range = useRange();
  const asked = { ...usePullRequestSearch(), limit: 50 };
  const pages = usePages(JSON.stringify(asked), (cursor) => pullRequestsQuery({ ...asked, ...cursor }));
  const [one, another] = pages.query.data?.data ?? [];
  const isNamed = asked.repository !== undefined && asked.number !== undefined;
  const only = isNamed && !another ? one?.id : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that is found.
  useEffect(() => {
    if (only !== undefined) void navigate({ to: `/pull-requests/${only}`, replace: true } as never);
  }, [only]);
  const cost = isAdmin ? 'Cost' : 'Your part of the cost';
  return (
    <Stack>
      <RangeBar by={['repository']} />
      <MergedFigures />
      <Title order={2} mt="xs">
        {asked.calls_from ? `${cost} of calls: ${range.label}` : 'All pull requests'}
      </Title>
      <PullRequestFilters />
      <PagedRows
        pages={pages}
        height={300}
        label="Pull requests"
        columns={pullRequestColumns(isAdmin)}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: `/pull-requests/${id}` } as never)}
        empty={<NoSuchPullRequest asked={asked} range={range.label} />}
      />
    </Stack>
  );
}

/** Branches with calls in the range, those without a pull request too. */
function Branches() {
  const isAdmin = useIsAdmin();
  const range = useRange();
  const { repository } = useFilters();
  const asked = { ...callsIn(range.query), ...(repository ? { repository } : {}), limit: 50 };
  const pages = usePages(JSON.stringify(asked), (cursor) => branchesQuery({ ...asked, ...cursor }));
  return (
    <Stack>
      <RangeBar by={['repository']} />
      <PagedRows
        pages={pages}
        height={300}
        label="Branches"
        columns={branchColumns(isAdmin)}
        keyOf={({ repository: place, branch }) => JSON.stringify([place, branch])}
        empty={
          <Text c="dimmed">
            {isAdmin ? 'No call' : 'No call of yours'} in this range names a branch: {range.label}.
          </Text>
        }
      />
    </Stack>
  );
}
