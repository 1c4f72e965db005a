import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { AnswerOf } from '../data/client.ts';
import { sessionsQuery } from '../data/queries.ts';
import { FILTERS, type FilterName } from '../data/range.ts';
import { groupsBy } from '../data/usage.tsx';
import { usageValues } from '../data/usage-questions.ts';
import { useFilters, useRange } from '../data/use-range.ts';
import { SearchSelect } from '../parts/form/search-select.tsx';
import { NothingYet } from '../parts/page/nothing-yet.tsx';
import { Page } from '../parts/page/page.tsx';
import { PagedRows, usePages } from '../parts/page/pager.tsx';
import { RangeBar } from '../parts/page/range-bar.tsx';
import type { Column } from '../parts/page/rows.tsx';
import { duration, exact, money } from '../parts/text/format.ts';
import { PageLink } from '../parts/text/page-link.tsx';
import { State } from '../parts/text/state.tsx';
import { UserName, useNames } from '../parts/text/user-name.tsx';
import { Count, When } from '../parts/text/values.tsx';
import { UsageLine } from '../parts/usage/line.tsx';

export type Session = AnswerOf<'/api/v1/sessions'>['data'][number];

const COLUMNS: readonly Column<Session>[] = [
  {
    label: 'Started',
    isShort: true,
    narrow: 'first',
    render: ({ id, started_at }) => (
      <PageLink to={`/sessions/${id}`}>
        <When at={started_at} />
      </PageLink>
    ),
  },
  { label: 'User', share: 13, render: ({ user_id }) => <UserName id={user_id} /> },
  { label: 'Project', share: 9, render: ({ project_id }) => <Clipped text={project_id} /> },
  { label: 'Tool', share: 10, narrow: 'hidden', render: ({ adapter }) => <Clipped text={adapter} /> },
  {
    label: 'Model',
    share: 14,
    narrow: 'hidden',
    render: ({ model, models }) => (
      <Clipped text={model + (models.length > 1 ? ` +${models.length - 1}` : '')} />
    ),
  },
  { label: 'Length', isNumber: true, narrow: 'hidden', render: ({ duration_s }) => duration(duration_s) },
  { label: 'Signals', isNumber: true, narrow: 'hidden', render: ({ signal_count }) => exact(signal_count) },
  { label: 'Errors', isNumber: true, narrow: 'hidden', render: ({ error_count }) => exact(error_count) },
  {
    label: 'Gates',
    isNumber: true,
    narrow: 'hidden',
    render: ({ intervention_count }) => exact(intervention_count),
  },
  { label: 'In', isNumber: true, narrow: 'hidden', render: ({ tokens_in }) => <Count of={tokens_in} /> },
  { label: 'Out', isNumber: true, narrow: 'hidden', render: ({ tokens_out }) => <Count of={tokens_out} /> },
  {
    label: 'Cost',
    isNumber: true,
    narrow: 'first',
    render: ({ cost_usd, unpriced_signals }) =>
      unpriced_signals > 0 ? `≥ ${money(cost_usd)}` : money(cost_usd),
  },
  {
    label: 'State',
    isShort: true,
    narrow: 'first',
    render: ({ state, end_reason }) => <State of={state}>{end_reason ?? state}</State>,
  },
];

/** Text in a narrow column; hover shows all of it, and so does the session's page. */
function Clipped({ text }: { text: string }) {
  return <bdi title={text}>{text}</bdi>;
}

/** Every session of the range, newest first, by any filter. */
export function Sessions() {
  const range = useRange();
  const filters = useFilters();
  const { order } = useSearch({ strict: false }) as { order?: string };
  const asked = { ...range.query, ...filters, ...(order === 'asc' ? { order: 'asc' as const } : {}) };
  const pages = usePages(JSON.stringify(asked), (cursor) =>
    sessionsQuery({ ...asked, ...cursor, limit: 50 }),
  );
  return (
    <Page title="Sessions" lead="A session is a run of activity of one user in one project with one tool.">
      <RangeBar>
        {FILTERS.map((name) => (
          <FilterSelect key={name} name={name} isReady={pages.query.isSuccess} />
        ))}
        <SearchSelect
          name="order"
          aria-label="Order"
          none="Newest first"
          data={[{ value: 'asc', label: 'Oldest first' }]}
        />
      </RangeBar>
      <UsageLine />
      <PagedRows
        pages={pages}
        height={400}
        label="Sessions"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={<NothingYet noun="session" />}
      />
    </Page>
  );
}

const ANY: Record<FilterName, string> = {
  user_id: 'Any user',
  project_id: 'Any project',
  model: 'Any model',
  adapter: 'Any tool',
};

/** A filter with the values of the range's usage, by cost. They are read after the list itself. */
function FilterSelect({ name, isReady }: { name: FilterName; isReady: boolean }) {
  const range = useRange();
  const filters = useFilters();
  const names = useNames();
  const found = useQuery({
    ...usageValues(range),
    staleTime: 60_000,
    enabled: isReady,
  });
  const values = found.data ? groupsBy(found.data, name).flatMap(({ value }) => value ?? []) : [];
  const chosen = filters[name];
  const all = chosen === undefined || values.includes(chosen) ? values : [chosen, ...values];
  return (
    <SearchSelect
      name={name}
      aria-label={ANY[name].replace('Any ', 'Filter by ')}
      none={ANY[name]}
      data={all.map((value) => ({ value, label: (name === 'user_id' && names.get(value)) || value }))}
      maw={140}
    />
  );
}
