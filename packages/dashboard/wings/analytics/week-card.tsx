import { Table, Text, VisuallyHidden } from '@mantine/core';
import { useChoice } from '../../data/use-range.ts';
import { Bars } from '../../parts/chart/bars.tsx';
import { PLOT_EDGES } from '../../parts/chart/plot.tsx';
import { optionsOf, SearchSelect } from '../../parts/form/search-select.tsx';
import { useIsNarrow } from '../../parts/page/rows.tsx';
import { Section } from '../../parts/page/section.tsx';
import { compact, exact, money, shortMoney } from '../../parts/text/format.ts';
import { ComparedWith } from '../../parts/text/values.tsx';
import { Figure, FigureRows } from './figure-rows.tsx';
import { figuresOf, MEASURES, type Measure, type Row } from './weeks.ts';

/** The weeks as bars, and below them as a table whose columns are under the bars. */
export function WeekCard({ weeks }: { weeks: readonly Row[] }) {
  const measure = useChoice('measure', MEASURES) ?? 'cost';
  const isNarrow = useIsNarrow();
  const { label, of, isMoney = false } = MEASURES[measure];
  const names = Object.fromEntries(Object.entries(MEASURES).map(([name, { label }]) => [name, label]));
  const values = weeks.map(({ cell }) => {
    const figures = figuresOf(cell);
    return figures ? of(figures) : 0;
  });
  return (
    <Section
      title={`${label} by week`}
      aside={<SearchSelect name="measure" aria-label="Measure" value={measure} data={optionsOf(names)} />}
    >
      {weeks.some(({ cell }) => figuresOf(cell)) && (
        <Bars
          title={`${label} by week`}
          allIn={isNarrow ? 'the list' : 'the table'}
          content={{
            labels: weeks.map(({ short }) => short ?? ''),
            series: [{ name: label, colour: 0, values }],
            instead: weeks.map((week) => (figuresOf(week.cell) ? null : (week.shownFrom ?? 'hidden'))),
            format: isMoney ? money : exact,
            axis: isMoney ? shortMoney : compact,
          }}
        />
      )}
      <ComparedWith than="the week before" />
      {isNarrow ? <FigureRows title="Weeks" rows={weeks} /> : <WeekTable weeks={weeks} />}
    </Section>
  );
}

const NAMES = Object.keys(MEASURES) as Measure[];

/** A row per measure and a column per week, each under its bar. */
function WeekTable({ weeks }: { weeks: readonly Row[] }) {
  return (
    <div style={{ paddingRight: PLOT_EDGES.right }}>
      <Table layout="fixed" verticalSpacing={4} horizontalSpacing={4} aria-label="Weeks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={PLOT_EDGES.left} scope="col">
              Week
            </Table.Th>
            {weeks.map(({ label }) => (
              <Table.Th key={label} scope="col" ta="center" style={{ whiteSpace: 'normal' }}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {NAMES.map((measure, index) => (
            <Table.Tr key={measure}>
              <Table.Th scope="row">{MEASURES[measure].label}</Table.Th>
              {weeks.map((week) => (
                <WeekCell key={week.label} week={week} measure={measure} isFirst={index === 0} />
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** A figure of a week. A week without figures has one cell for all of them. */
function WeekCell({ week, measure, isFirst }: { week: Row; measure: Measure; isFirst: boolean }) {
  const { cell, before, shownFrom } = week;
  const figures = figuresOf(cell);
  const { of, isMoney = false } = MEASURES[measure];
  if (figures)
    return (
      <Table.Td ta="center" style={{ fontVariantNumeric: 'tabular-nums', verticalAlign: 'top' }}>
        <Figure now={of(figures)} before={before && of(before)} isMoney={isMoney} />
      </Table.Td>
    );
  if (!isFirst) return null;
  if (shownFrom === undefined)
    return (
      <Table.Td rowSpan={NAMES.length} className="hatched">
        <VisuallyHidden>hidden</VisuallyHidden>
      </Table.Td>
    );
  return (
    <Table.Td rowSpan={NAMES.length} ta="center">
      <Text size="sm" c="dimmed">
        {shownFrom}
      </Text>
    </Table.Td>
  );
}
