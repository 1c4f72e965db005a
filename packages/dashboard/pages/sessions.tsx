import '../parts/sessions/sessions.css';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Problem } from '../data/client.ts';
import { sessionsQuery } from '../data/queries.ts';
import { type SessionSearch, SORTS, useSessionSearch } from '../data/session-search.ts';
import { usageTotals } from '../data/usage-questions.ts';
import { useChangeSearch, useFilters, useRange } from '../data/use-range.ts';
import { SearchSelect } from '../parts/form/search-select.tsx';
import { NothingYet } from '../parts/page/nothing-yet.tsx';
import { Page } from '../parts/page/page.tsx';
import { PagedRows, usePages } from '../parts/page/pager.tsx';
import { RangeBar } from '../parts/page/range-bar.tsx';
import { type Sorting, useIsNarrow } from '../parts/page/rows.tsx';
import { Empty } from '../parts/page/section.tsx';
import { sessionColumns } from '../parts/sessions/columns.tsx';
import { SessionFilterBar } from '../parts/sessions/filters.tsx';
import type { Session } from '../parts/sessions/marks.tsx';
import { useSessionView, ViewOptions } from '../parts/sessions/view-options.tsx';
import { UsageLine } from '../parts/usage/line.tsx';
import { SectionsOfWings } from '../wings/sections.tsx';

export type { Session };

/** Every session of the range, by any filter and in any order. */
export function Sessions() {
  const range = useRange();
  const { filters: own, sort, order } = useSessionSearch();
  const filters = { ...useFilters(), ...own };
  const view = useSessionView();
  const sorting = useSorting({ sort, order });
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const columns = sessionColumns({ meanUsd: useMeanUsd(), isNarrow });
  const { min_cost_usd: least, ...others } = filters;
  const asked = {
    ...range.query,
    ...others,
    sort,
    order,
    limit: view.limit,
    ...(least === undefined ? {} : { min_cost_usd: Number(least) }),
  };
  const pages = usePages(JSON.stringify(asked), (cursor) => sessionsQuery({ ...asked, ...cursor }));
  const isTooMany = isTooManyToSort(pages.query.error);
  return (
    <Page title="Sessions" lead="A session is a run of activity of one user in one project with one tool.">
      <RangeBar>
        <SessionFilterBar isReady={pages.query.isSuccess} />
      </RangeBar>
      {/* Usage knows none of the filters of sessions alone. */}
      {Object.keys(own).length === 0 && <UsageLine />}
      <SectionsOfWings at="sessions" />
      <Group justify="space-between" gap="sm">
        <ExportLink query={{ ...range.query, ...filters }} />
        {isNarrow ? <SortSelect /> : <ViewOptions columns={columns} view={view} />}
      </Group>
      {isTooMany ? (
        <TooMany text={pages.query.error?.message ?? ''} />
      ) : (
        <PagedRows
          pages={pages}
          height={400}
          label="Sessions"
          columns={columns.filter(({ label }) => !view.hidden.includes(label))}
          keyOf={({ id }) => id}
          sorting={sorting}
          onOpen={({ id }) => void navigate({ to: `/sessions/${id}` } as never)}
          empty={<NothingYet noun="session" />}
        />
      )}
    </Page>
  );
}

/** The mean cost of a session of the range, whatever the filters. */
function useMeanUsd(): number | undefined {
  const totals = useQuery({ ...usageTotals(useRange(), {}), staleTime: 60_000 }).data;
  return totals && totals.sessions > 0 ? totals.cost_usd / totals.sessions : undefined;
}

/** Another column begins with its largest values; the same one turns around. */
function useSorting({ sort, order }: Pick<SessionSearch, 'sort' | 'order'>): Sorting {
  const change = useChangeSearch();
  return {
    by: sort,
    order,
    onSort: (by) => change({ sort: by, order: by === sort && order === 'desc' ? 'asc' : undefined }),
  };
}

const FIRST = {
  time: { desc: 'Newest first', asc: 'Oldest first' },
  size: { desc: 'Largest first', asc: 'Smallest first' },
} as const;

/** In place of the headings, which a narrow screen has no room for. */
function SortSelect() {
  const change = useChangeSearch();
  const { sort, order } = useSessionSearch();
  return (
    <Group gap="sm">
      <SearchSelect
        name="sort"
        size="xs"
        aria-label="Order by"
        value={sort}
        data={Object.entries(SORTS).map(([value, label]) => ({ value, label }))}
      />
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => change({ order: order === 'desc' ? 'asc' : undefined })}
      >
        {FIRST[sort === 'started_at' ? 'time' : 'size'][order]}
      </Button>
    </Group>
  );
}

/** The sessions of this range and these filters as a file. */
function ExportLink({ query }: { query: Record<string, string> }) {
  const search = new URLSearchParams({ format: 'csv', level: 'sessions', ...query });
  return (
    <Button
      component="a"
      variant="default"
      size="compact-sm"
      href={`/dashboard/api/v1/usage/export?${search}`}
      download
    >
      Export these
    </Button>
  );
}

/** True of the refusal to order so many sessions by a column that no index has. */
function isTooManyToSort(error: unknown): boolean {
  if (!(error instanceof Problem) || error.code !== 'invalid_request') return false;
  const { errors } = error.extra;
  return Array.isArray(errors) && errors.some(({ parameter }) => parameter === 'sort');
}

const SHORTER = { today: 'Today', '7d': 'Last 7 days' } as const;

function TooMany({ text }: { text: string }) {
  const range = useRange();
  const change = useChangeSearch();
  return (
    <Empty
      action={
        <Group gap="sm" justify="center">
          {Object.entries(SHORTER).map(([name, label]) => (
            <Button
              key={name}
              variant="default"
              disabled={range.name === name}
              onClick={() => change({ range: name, from: undefined, to: undefined })}
            >
              {label}
            </Button>
          ))}
          <Button variant="default" onClick={() => change({ sort: 'cost_usd', order: undefined })}>
            Order by cost
          </Button>
        </Group>
      }
    >
      {text}
    </Empty>
  );
}
