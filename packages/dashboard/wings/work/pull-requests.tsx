import '../../parts/sessions/sessions.css';
import { Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useIsAdmin } from '../../data/use-me.ts';
import { useRange, useSharedSearch } from '../../data/use-range.ts';
import { Load } from '../../parts/page/load.tsx';
import { Page } from '../../parts/page/page.tsx';
import { PagedRows, usePages } from '../../parts/page/pager.tsx';
import { RangeBar } from '../../parts/page/range-bar.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { PULL_REQUEST_COLUMNS } from './parts/columns.tsx';
import { PullRequestFilters } from './parts/filters.tsx';
import { MergedFigures } from './parts/merged.tsx';
import { NoPullRequestYet, NoSuchPullRequest } from './parts/none-yet.tsx';
import { usePullRequestSearch } from './parts/search.ts';
import { pullRequestsQuery } from './queries.ts';

/** Pull requests with their costs, and what a merged one costs. */
export function PullRequests() {
  const isAdmin = useIsAdmin();
  const any = useQuery(pullRequestsQuery({ limit: 1 }));
  return (
    <Page
      title="Pull requests"
      lead={
        isAdmin
          ? 'The cost of each: all calls on its branch, also those before it was opened'
          : 'Your own cost of each: your calls on its branch, also those before it was opened'
      }
    >
      <Load query={any} height={400}>
        {({ data }) => (data.length === 0 ? <NoPullRequestYet /> : <All />)}
      </Load>
    </Page>
  );
}

function All() {
  const navigate = useNavigate();
  const range = useRange();
  const shared = useSharedSearch();
  const { order, ...filters } = usePullRequestSearch();
  const asked = { ...filters, ...(order ? { order } : {}), limit: 50 };
  const pages = usePages(JSON.stringify(asked), (cursor) => pullRequestsQuery({ ...asked, ...cursor }));
  // The range stands in the URL as one choice.
  const { from: _, to: __, sort: ___, calls_from, calls_to: ____, ...named } = filters;
  return (
    <>
      <RangeBar by={['repository']} />
      <MergedFigures />
      <Group justify="space-between" gap="sm" mt="xs">
        <Title order={2}>{calls_from ? `Cost of calls: ${range.label}` : 'All pull requests'}</Title>
        <PageLink to="/" search={{ ...shared, split: 'pull_request', view: 'table' }}>
          Most expensive: {range.label}
        </PageLink>
      </Group>
      <PullRequestFilters />
      <PagedRows
        pages={pages}
        height={300}
        label="Pull requests"
        columns={PULL_REQUEST_COLUMNS}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: `/pull-requests/${id}` } as never)}
        empty={<NoSuchPullRequest filters={[...Object.keys(named), 'opened']} />}
      />
    </>
  );
}
