import { type Column, Rows, useIsNarrow } from '../page/rows.tsx';
import type { ChartContent } from './content.ts';

/** A chart's figures as a table: a column per series, and on a narrow screen a row per figure that is not zero. */
export function FigureTable(props: { title: string; content: ChartContent }) {
  return useIsNarrow() ? <NarrowFigures {...props} /> : <WideFigures {...props} />;
}

/** Two periods may be called alike, so a row is known by its place. */
interface Period {
  index: number;
  label: string;
}

function WideFigures({
  title,
  content: { labels, series, format },
}: {
  title: string;
  content: ChartContent;
}) {
  const columns: readonly Column<Period>[] = [
    { label: 'Period', isHeading: true, render: ({ label }) => label },
    ...series.map(({ name, values }) => ({
      label: name,
      isNumber: true,
      render: ({ index }: Period) => format(values[index] ?? 0),
    })),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
    <section aria-label={`${title}, figures`} style={{ overflowX: 'auto' }} tabIndex={0}>
      <Rows
        label={title}
        rows={labels.map((label, index) => ({ index, label }))}
        columns={columns}
        keyOf={({ index }) => String(index)}
      />
    </section>
  );
}

interface Figure extends Period {
  name: string;
  value: number;
}

function NarrowFigures({
  title,
  content: { labels, series, format },
}: {
  title: string;
  content: ChartContent;
}) {
  const figures: Figure[] = labels.flatMap((label, index) =>
    series
      .map(({ name, values }) => ({ label, index, name, value: values[index] ?? 0 }))
      .filter(({ value }) => value !== 0),
  );
  const columns: readonly Column<Figure>[] = [
    { label: 'Period', isShort: true, narrow: 'first', render: ({ label }) => label },
    { label: 'Amount', isNumber: true, narrow: 'first', render: ({ value }) => format(value) },
    { label: 'Of', render: ({ name }) => <bdi>{name}</bdi> },
  ];
  return (
    <Rows
      label={title}
      rows={figures}
      columns={columns}
      keyOf={({ index, name }) => JSON.stringify([index, name])}
    />
  );
}
