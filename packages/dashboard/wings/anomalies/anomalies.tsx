import { Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useIsAdmin } from '../../data/use-me.ts';
import { useChoice, useFilters, useRange } from '../../data/use-range.ts';
import { optionsOf, SearchSelect } from '../../parts/form/search-select.tsx';
import { Page } from '../../parts/page/page.tsx';
import { PagedRows, usePages } from '../../parts/page/pager.tsx';
import { RangeBar } from '../../parts/page/range-bar.tsx';
import type { Column } from '../../parts/page/rows.tsx';
import { Empty } from '../../parts/page/section.tsx';
import { more } from '../../parts/text/format.ts';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import { ANOMALY_STATES, AnomalyAnswers, AnomalyState } from './answer.tsx';
import { type Anomaly, AnomalyFigure, RULES } from './figure.tsx';
import { anomaliesQuery } from './query.ts';

const COLUMNS: readonly Column<Anomaly>[] = [
  {
    label: 'What',
    isShort: true,
    narrow: 'first',
    render: ({ anomaly_type, session_id }) => (
      <PageLink to={`/sessions/${session_id}`}>{RULES[anomaly_type].name}</PageLink>
    ),
  },
  { label: 'User', share: 16, narrow: 'first', render: ({ user_id }) => <UserName id={user_id} /> },
  {
    label: 'Observed',
    isNumber: true,
    narrow: 'first',
    render: (anomaly) => <AnomalyFigure of={anomaly} value={anomaly.observed} />,
  },
  {
    label: 'Baseline',
    isNumber: true,
    narrow: 'hidden',
    render: (anomaly) => <AnomalyFigure of={anomaly} value={anomaly.baseline_avg} />,
  },
  {
    label: 'Deviation',
    isNumber: true,
    narrow: 'hidden',
    render: ({ deviation_pct }) => more(deviation_pct),
  },
  { label: 'State', render: (anomaly) => <AnomalyState of={anomaly} /> },
  { label: 'Answer', narrow: 'hidden', render: (anomaly) => <AnomalyAnswers of={anomaly} /> },
  {
    label: 'Seen',
    isShort: true,
    render: ({ detected_at, session_started_at }) => (
      <>
        <When at={detected_at} />
        {session_started_at !== null && (
          <Text size="xs" c="dimmed" className="beside">
            session of <When at={session_started_at} />
          </Text>
        )}
      </>
    ),
  },
];

/** Unusual sessions, each compared with the usual ones before it. */
export function Anomalies() {
  const range = useRange();
  const isAdmin = useIsAdmin();
  const { user_id } = useFilters();
  const { session_id, order } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const anomaly_type = useChoice('anomaly_type', RULES);
  const state = useChoice('state', ANOMALY_STATES);
  const asked = {
    ...range.query,
    ...(user_id ? { user_id } : {}),
    ...(session_id ? { session_id } : {}),
    ...(anomaly_type ? { anomaly_type } : {}),
    ...(state ? { state } : {}),
    ...(order === 'asc' ? { order: 'asc' as const } : {}),
  };
  const isFiltered = [user_id, session_id, anomaly_type, state].some(Boolean);
  const pages = usePages(JSON.stringify(asked), (cursor) =>
    anomaliesQuery({ ...asked, ...cursor, limit: 50 }),
  );
  return (
    <Page
      title="Anomalies"
      lead="Each session is compared with the same user’s past, never with other people."
    >
      <RangeBar by={['user_id']}>
        <SearchSelect
          name="anomaly_type"
          aria-label="Kind"
          none="Any kind"
          data={Object.entries(RULES).map(([value, { name }]) => ({ value, label: name }))}
        />
        <SearchSelect name="state" aria-label="State" none="Any state" data={optionsOf(ANOMALY_STATES)} />
      </RangeBar>
      <PagedRows
        pages={pages}
        height={300}
        label="Anomalies"
        columns={isAdmin ? COLUMNS : COLUMNS.filter(({ label }) => label !== 'Answer')}
        keyOf={({ id }) => id}
        empty={
          <Empty>
            {isFiltered
              ? 'Nothing unusual in this range fits these filters.'
              : 'Nothing unusual in this range. A session far above its user’s own past appears here, with the observed and the usual amount.'}
          </Empty>
        }
      />
    </Page>
  );
}
