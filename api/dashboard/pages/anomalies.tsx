import { Anchor, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { anomaliesQuery } from '../data/queries.ts';
import { useChoice, useFilters, useRange } from '../data/use-range.ts';
import { SearchSelect } from '../parts/form/search-select.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { Pager, usePages } from '../parts/page/pager.tsx';
import { RangeBar } from '../parts/page/range-bar.tsx';
import { type Column, Rows } from '../parts/page/rows.tsx';
import { more } from '../parts/text/format.ts';
import { UserName } from '../parts/text/user-name.tsx';
import { When } from '../parts/text/when.tsx';
import { type Anomaly, AnomalyFigure, RULES } from '../parts/usage/anomaly.tsx';

const COLUMNS: readonly Column<Anomaly>[] = [
  {
    label: 'What',
    isShort: true,
    narrow: 'first',
    render: ({ anomaly_type, session_id }) => (
      <Anchor component={Link} to={`/sessions/${session_id}`} size="sm" underline="hover">
        {RULES[anomaly_type].name}
      </Anchor>
    ),
  },
  { label: 'User', share: 16, narrow: 'first', render: ({ user_id }) => <UserName id={user_id} /> },
  {
    label: 'Observed',
    isNumber: true,
    narrow: 'first',
    render: ({ anomaly_type, observed }) => <AnomalyFigure type={anomaly_type} of={observed} />,
  },
  {
    label: 'Usual or limit',
    isNumber: true,
    render: ({ anomaly_type, baseline_avg }) => <AnomalyFigure type={anomaly_type} of={baseline_avg} />,
  },
  {
    label: 'More',
    isNumber: true,
    narrow: 'hidden',
    render: ({ deviation_pct }) => `▲ ${more(deviation_pct)}`,
  },
  {
    label: 'Rule',
    narrow: 'hidden',
    render: ({ anomaly_type }) => (
      <Text span inherit c="dimmed">
        {RULES[anomaly_type].rule}
      </Text>
    ),
  },
  { label: 'Seen', isShort: true, render: ({ detected_at }) => <When at={detected_at} /> },
];

/** What was unusual, against what was usual before. */
export function Anomalies() {
  const range = useRange();
  const { user_id } = useFilters();
  const { session_id, order } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const anomaly_type = useChoice('anomaly_type', RULES);
  const asked = {
    ...range.query,
    ...(user_id ? { user_id } : {}),
    ...(session_id ? { session_id } : {}),
    ...(anomaly_type ? { anomaly_type } : {}),
    ...(order === 'asc' ? { order: 'asc' as const } : {}),
  };
  const pages = usePages<Anomaly>(
    JSON.stringify(asked),
    (cursor) => anomaliesQuery({ ...asked, ...cursor, limit: 50 }) as never,
  );
  return (
    <Page
      title="Anomalies"
      lead="Each session is held against the same user’s past; nobody is held against others."
    >
      <RangeBar by={['user_id']}>
        <SearchSelect
          name="anomaly_type"
          aria-label="Kind"
          none="Any kind"
          data={Object.entries(RULES).map(([value, { name }]) => ({ value, label: name }))}
        />
      </RangeBar>
      <Load query={pages.query} height={300}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>
              Nothing unusual in this range. A session far above its user’s own past would stand here, with
              what was observed and what is usual.
            </Empty>
          ) : (
            <Rows label="Anomalies" rows={data} columns={COLUMNS} keyOf={({ id }) => id} />
          )
        }
      </Load>
      <Pager pages={pages as never} />
    </Page>
  );
}
