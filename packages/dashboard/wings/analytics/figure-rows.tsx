import { Text, VisuallyHidden } from '@mantine/core';
import { type Column, Rows } from '../../parts/page/rows.tsx';
import { FilterLink } from '../../parts/text/filter-link.tsx';
import { money } from '../../parts/text/format.ts';
import { Change, Count } from '../../parts/text/values.tsx';
import { figuresOf, MEASURES, type Measure, type Row } from './weeks.ts';

const NARROW: Partial<Record<Measure, 'first' | 'hidden'>> = {
  sessions: 'hidden',
  signals: 'hidden',
  errors: 'hidden',
  cost: 'first',
};
/** Widths in per cent: the columns stay where they are, whatever the rows are. */
const WIDTHS = { first: 28, measure: 12 };

function columnsOf(title: string): readonly Column<Row>[] {
  const measures = Object.entries(MEASURES) as [Measure, (typeof MEASURES)[Measure]][];
  return [
    {
      label: title,
      isHeading: true,
      narrow: 'first',
      share: WIDTHS.first,
      render: ({ label, filter }) => (filter ? <FilterLink {...filter} label={label} /> : label),
    },
    ...measures.map(([name, { label, of, isMoney = false }]) => ({
      label,
      isNumber: true,
      share: WIDTHS.measure,
      ...(NARROW[name] ? { narrow: NARROW[name] } : {}),
      render: ({ cell, before, isUnpriced }: Row) => {
        const figures = figuresOf(cell);
        if (figures && isMoney && isUnpriced) return 'no price';
        return figures && <Figure now={of(figures)} before={before && of(before)} isMoney={isMoney} />;
      },
    })),
  ];
}

/** A figure, and below it how it differs from that of the week before. */
export function Figure({
  now,
  before,
  isMoney,
}: {
  now: number;
  before: number | undefined;
  isMoney: boolean;
}) {
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
export function FigureRows({ title, rows }: { title: string; rows: readonly Row[] }) {
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
