import { Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../data/client.ts';
import { useMe } from '../data/use-me.ts';
import { useChoice } from '../data/use-range.ts';
import {
  type Answer,
  type Cell,
  DIMENSIONS,
  figuresOf,
  MEASURES,
  type Measure,
  type Row,
  runningWeek,
  weeksOf,
} from '../parts/analytics/weeks.ts';
import { ChartCard } from '../parts/chart/card.tsx';
import { optionsOf, SearchSelect } from '../parts/form/search-select.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { type Column, Rows } from '../parts/page/rows.tsx';
import { Section } from '../parts/page/section.tsx';
import { compact, exact, money, shortMoney } from '../parts/text/format.ts';
import { Change, Count } from '../parts/text/values.tsx';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** The usage of the organization by weeks, in which no member can be identified. */
export function Analytics() {
  const { org } = useMe();
  const asked = useChoice('dimension', DIMENSIONS) ?? 'model';
  const analytics = useQuery({
    queryKey: ['analytics', asked],
    queryFn: () =>
      take(
        api.GET('/api/v1/org/{orgId}/analytics', {
          params: { path: { orgId: org.id }, query: { dimension: asked } },
        }),
      ),
    staleTime: 300_000,
  });
  return (
    <Page
      title="Analytics"
      lead={`How ${org.name} works, week by week, without naming anyone. Weeks begin on Monday in ${org.timezone}.`}
    >
      <Load query={analytics} height={300}>
        {(data) => <Weeks data={data} timezone={org.timezone} />}
      </Load>
    </Page>
  );
}

function Weeks({ data, timezone }: { data: Answer; timezone: string }) {
  const { dimension, cells, k } = data;
  const weeks = weeksOf(data, timezone);
  const values = cells.map((cell) => ({ label: keyWords(dimension, cell), cell }));
  const hidden = [...weeks, ...values].some(({ cell }) => 'suppressed' in cell);
  return (
    <Stack>
      <WeekChart weeks={weeks} />
      {hidden && (
        <Group gap="sm" wrap="nowrap" align="center">
          <div className="hatched" style={{ width: 32, height: 16, flex: 'none' }} aria-hidden />
          <Text size="sm">
            Hatched rows are hidden: fewer than {k} people share them, or one person has most of them.
          </Text>
        </Group>
      )}
      <Section title="Weeks">
        <FigureRows
          title="Week"
          rows={[...weeks, runningWeek(data, timezone), { label: 'All', cell: data.totals }]}
        />
      </Section>
      <Section
        title={`By ${DIMENSIONS[dimension].toLowerCase()}`}
        aside={
          <SearchSelect name="dimension" aria-label="By" value={dimension} data={optionsOf(DIMENSIONS)} />
        }
      >
        {dimension === 'none' ? (
          <Text c="dimmed">Choose by what to split the weeks.</Text>
        ) : values.length === 0 ? (
          <Text c="dimmed">Nothing yet: no week is shown.</Text>
        ) : (
          <FigureRows title={DIMENSIONS[dimension]} rows={values} />
        )}
      </Section>
    </Stack>
  );
}

function WeekChart({ weeks }: { weeks: readonly Row[] }) {
  const measure = useChoice('measure', MEASURES) ?? 'cost';
  const { label, of, isMoney = false } = MEASURES[measure];
  const series = {
    name: label,
    colour: 0,
    values: weeks.map(({ cell }) => {
      const figures = figuresOf(cell);
      return figures ? of(figures) : 0;
    }),
  };
  const names = Object.fromEntries(Object.entries(MEASURES).map(([name, { label }]) => [name, label]));
  return (
    <ChartCard
      title={`${label} by week`}
      content={{
        labels: weeks.map(({ short, cell }) => (figuresOf(cell) ? (short ?? '') : `${short} (hidden)`)),
        series: [series],
        format: isMoney ? money : exact,
        axis: isMoney ? shortMoney : compact,
      }}
      controls={<SearchSelect name="measure" aria-label="Measure" value={measure} data={optionsOf(names)} />}
    />
  );
}

function keyWords(dimension: Answer['dimension'], { key }: Cell): string {
  const value = key[dimension];
  if (value === null || value === undefined) return 'without';
  if (dimension !== 'hour_of_week') return String(value);
  const hour = Number(value);
  return `${DAYS[Math.floor(hour / 24)] ?? ''} ${String(hour % 24).padStart(2, '0')}:00`;
}

const NARROW: Partial<Record<Measure, 'first' | 'hidden'>> = {
  sessions: 'hidden',
  signals: 'hidden',
  errors: 'hidden',
  cost: 'first',
};
/** Widths in per cent, so that the columns of both tables are at the same place. */
const WIDTHS = { first: 28, measure: 12 };

function columnsOf(title: string): readonly Column<Row>[] {
  const measures = Object.entries(MEASURES) as [Measure, (typeof MEASURES)[Measure]][];
  return [
    { label: title, isHeading: true, narrow: 'first', share: WIDTHS.first, render: ({ label }) => label },
    ...measures.map(([name, { label, of, isMoney = false }]) => ({
      label,
      isNumber: true,
      share: WIDTHS.measure,
      ...(NARROW[name] ? { narrow: NARROW[name] } : {}),
      render: ({ cell, before }: Row) => {
        const figures = figuresOf(cell);
        return figures && <Figure now={of(figures)} before={before && of(before)} isMoney={isMoney} />;
      },
    })),
  ];
}

function Figure({ now, before, isMoney }: { now: number; before: number | undefined; isMoney: boolean }) {
  return (
    <>
      {isMoney ? money(now) : <Count of={now} />}
      {before !== undefined && (
        <div className="beside">
          <Change now={now} before={before} than="the week before" />
        </div>
      )}
    </>
  );
}

/** Rows of figures. A hidden one is hatched; it is never a zero. */
function FigureRows({ title, rows }: { title: string; rows: readonly Row[] }) {
  const insteadOf = ({ cell, shownFrom }: Row) => {
    if (figuresOf(cell)) return null;
    if (shownFrom !== undefined)
      return (
        <Text span inherit c="dimmed">
          {shownFrom}
        </Text>
      );
    return (
      <div className="hatched">
        <VisuallyHidden>hidden</VisuallyHidden>&nbsp;
      </div>
    );
  };
  return (
    <Rows
      label={title}
      rows={rows}
      columns={columnsOf(title)}
      keyOf={({ label }) => label}
      instead={insteadOf}
    />
  );
}
